export const artifactFile: string;
export function compileContract(): {
  readonly compiler: string;
  readonly settings: object;
  readonly abi: readonly object[];
  readonly bytecode: string;
  readonly bytecodeSha256: string;
};
