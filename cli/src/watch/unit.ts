// A watch as a systemd service of the user who is signed in to the server.
import { isSea } from 'node:sea';
import { version } from '../platform/version.ts';

type UnitOptions = {
  readonly folder: string;
  readonly proofs: string | undefined;
  readonly rest: number;
  readonly every: number;
  readonly proxied: boolean;
  readonly 'wait-vouched': boolean;
  readonly 'one-file': boolean;
  readonly 'limit-rate'?: string | undefined;
  readonly server: string;
  readonly profile: string;
};

/** A word of a command line in systemd's quoting. */
const quote = (word: string): string =>
  `"${word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`;

/** A name may contain a line feed, and the rest would be an entry of its own. */
const inOneLine = (text: string): string => text.replaceAll('\n', ' ').replaceAll('%', '%%');

/** A packaged program is a command by itself. */
const ownProgram = (): string[] => [process.execPath, ...(isSea() ? [] : process.argv.slice(1, 2))];

export function toUnit({ folder, proofs, rest, every, proxied, server, profile, ...more }: UnitOptions): string {
  const limit = more['limit-rate'];
  const words = [
    ...[...ownProgram(), 'watch', folder, '--rest', String(rest), '--every', String(every)],
    ...(proofs === undefined ? [] : ['--proofs', proofs]),
    ...(proxied ? ['--proxied'] : []),
    ...(more['wait-vouched'] ? ['--wait-vouched'] : []),
    ...(more['one-file'] ? ['--one-file'] : []),
    ...(limit === undefined ? [] : ['--limit-rate', limit]),
    ...['--server', server, '--profile', profile],
  ];
  return `# recordproof ${version}
[Unit]
Description=Keeps ${inOneLine(folder)} proven
StartLimitIntervalSec=0

[Service]
ExecStart=${words.map(quote).join(' ')}
Restart=on-failure
RestartSec=30
SuccessExitStatus=130
Nice=10
UMask=0077
NoNewPrivileges=yes

[Install]
WantedBy=default.target
`;
}
