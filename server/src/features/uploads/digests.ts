// How the contract and the manifest write a SHA-256.

export const toDigest = (hex: string): string => `sha256:${hex}`;
export const bareHash = (digest: string): string => digest.slice('sha256:'.length);
