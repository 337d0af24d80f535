// What a command sees of the process around it. Report on standard output, everything else on standard error.

type Output = { write(text: string): unknown; isTTY?: boolean; columns?: number };

export type Terminal = {
  stdin: AsyncIterable<Uint8Array>;
  stdout: Output;
  stderr: Output;
};

/** A terminal, and nobody who asked for none (no-color.org). */
export const isColoured = ({ isTTY }: Pick<Output, 'isTTY'>): boolean =>
  isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';

/** Names are shown as one harmless line. */
export const oneLine = (text: string): string => text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd');
