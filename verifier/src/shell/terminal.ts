// The standard streams of a command. The report goes to standard output, everything else to standard error.

type Output = { write(text: string): unknown; isTTY?: boolean; columns?: number };

export type Terminal = {
  stdin: AsyncIterable<Uint8Array>;
  stdout: Output;
  stderr: Output;
};

/** The system's error code, such as ENOSPC; empty if there is none. */
export const systemCodeOf = (problem: unknown): string =>
  problem instanceof Error && 'code' in problem ? String(problem.code) : '';

/** A terminal without NO_COLOR (no-color.org). */
export const isColoured = ({ isTTY }: Pick<Output, 'isTTY'>): boolean =>
  isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';

/** Replaces characters that could hide, reverse or break a line. */
export const oneLine = (text: string): string => text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd');

/** Scheme and host of a URL, for errors: the rest may hold a password or a key. */
export function toShownUrl(text: string): string {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*:\/\/)?(.*)$/is.exec(text) ?? [];
  const [host = ''] = rest.slice(rest.lastIndexOf('@') + 1).split(/[/?#]/, 1);
  return oneLine(scheme + host);
}
