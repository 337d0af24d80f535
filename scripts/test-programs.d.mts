export function isThere(program: string): boolean;
export function listMissingPackages(): string[];
export function listMissingPrograms(): string[];
