type Lock = { packages: Record<string, { optionalDependencies?: Record<string, string>; dev?: boolean }> };
export function listMissing(lock: Lock): { name: string; version: string; dev: boolean }[];
