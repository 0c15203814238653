import * as React from "react";
export const T = () => (React as any)["createElement"]("script", null);
