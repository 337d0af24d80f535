// The formats of SHA-256 in contract and manifest.

export const toDigest = (hex: string): string => `sha256:${hex}`;
export const bareHash = (digest: string): string => digest.slice('sha256:'.length);
