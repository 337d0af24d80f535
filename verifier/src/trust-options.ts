// Command line options that name the trusted parties for the time of a file.
import { value } from '@recordproof/shared/command-line/command.ts';
import { UsageError } from '@recordproof/shared/node/read-arguments.ts';
import { parseRequirements, type Requirement } from './existence/requirements.ts';

/** Files with the caller's trust material, and the required vouchers. */
export type TrustOptions = {
  policy?: string | undefined;
  roots?: string | undefined;
  headers?: string | undefined;
  required: readonly Requirement[];
};

/** Trusted parties for the time. */
export const trustOptions = {
  policy: value('FILE', 'the ledgers and witnesses that you trust, and how many must agree (C2SP tlog-policy)'),
  'tsa-roots': value('FILE.pem', 'roots of time-stamping authorities that you trust'),
  'bitcoin-headers': value(
    'FILE',
    'block headers that you trust: all from the first block on, 80 bytes each, or lines of text with a height and 160 hex digits',
  ),
  require: value('LIST', 'what must be there, as witness:2,rfc3161 or bitcoin'),
};

type GivenTrust = Readonly<Partial<Record<keyof typeof trustOptions, string | undefined>>>;

/** Returns undefined if none of them is given. */
export function readTrust(options: GivenTrust): TrustOptions | undefined {
  const { policy, 'tsa-roots': roots, 'bitcoin-headers': headers, require } = options;
  if ([policy, roots, headers, require].every(text => text === undefined)) return undefined;
  return { policy, roots, headers, required: readRequired(require) };
}

function readRequired(text: string | undefined): readonly Requirement[] {
  const required = text === undefined ? [] : parseRequirements(text);
  if (required === undefined)
    throw new UsageError(
      '--require is a list of witness, witness:N, rfc3161 and bitcoin, each once, as witness:2,rfc3161',
    );
  return required;
}
