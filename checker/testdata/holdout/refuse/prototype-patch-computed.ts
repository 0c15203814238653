(Array as any)["proto" + "type"].map = () => [];
