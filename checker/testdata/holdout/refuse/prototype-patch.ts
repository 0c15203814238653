(Array as any).prototype.map = () => [];
