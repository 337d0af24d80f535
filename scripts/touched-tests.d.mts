export function listTouched(changed: readonly string[], tests: readonly string[]): string[];
export function listTestsBeside(root: string): string[];
export function listChanged(root: string): string[];
