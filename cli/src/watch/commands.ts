// The commands `watch` and `watch status`.
import { resolve } from 'node:path';
import { string as argument } from '@oclif/core/args';
import { boolean, integer, string } from '@oclif/core/flags';
import { toRealPath } from '@recordproof/shared/node/real-path.ts';
import { command } from '../platform/command.ts';
import { writeJsonLine } from '../platform/output.ts';
import { alignRows } from '../platform/table.ts';
import { openWatching } from './open-watching.ts';
import { openOwnFiles } from './own-files.ts';
import { runWatch } from './run-watch.ts';
import { readStatus, type WatchStatus } from './status.ts';
import { toUnit } from './unit.ts';
import { findFolder, findState } from './watching.ts';

const mostNamed = 10;

function toLines(title: string, lines: readonly string[]): string[][] {
  const named = lines.slice(0, mostNamed);
  const more = lines.length > mostNamed ? [`and ${lines.length - mostNamed} more`] : [];
  return [...named, ...more].map((line, at) => [at === 0 ? title : '', line]);
}

const toReasons = (some: readonly { readonly path: string; readonly why: string }[]): string[] =>
  some.map(({ path, why }) => `${path}: ${why}`);

const statusTable = (status: WatchStatus): string =>
  alignRows([
    ['folder', status.folder],
    ['for', `${status.account} at ${status.server}`],
    ['watched', status.isRunning ? `yes, since ${status.startedAt}` : `no; last on ${status.lastEventAt}`],
    ...(status.waitingFor === null ? [] : [['waiting', status.waitingFor]]),
    ['proven', `${status.proven} files`],
    ['waiting for proof', String(status.waitingForProof)],
    ['not stored yet', String(status.notStored.length)],
    ...toLines('', status.notStored),
    ...toLines('left out', toReasons(status.leftOut)),
    ...toLines('without proof', toReasons(status.withoutProof)),
    ['gone since', `${status.gone} files, of which all versions stay at the server`],
    ['versions', String(status.versions)],
    ['log', status.log.path],
    ['', `whole: ${status.log.lines} lines`],
  ]);

const folderArgument = argument({ required: true, description: 'The folder that is watched.' });

export const watch = command({
  summary: 'Keep a folder proven: each new or changed file becomes a version with its proof',
  description: [
    'Scans the folder in intervals. A file that was not written for a while is uploaded, a changed one as the next',
    'version of the same file, and its proof is written beside it, with what others say about its time. Nothing is ever deleted. What happens is noted in a log',
    'of one JSON text a line; after a crash, here or at the server, the watch goes on from it and stores nothing twice.',
    'Ctrl-C ends it.',
  ].join(' '),
  examples: [
    { command: 'watch contracts', description: 'Proofs beside the files' },
    { command: 'watch contracts --proofs proofs', description: 'Proofs in a folder of their own, which mirrors it' },
    { command: 'watch contracts --once', description: 'Until every file is proven, for a timer job' },
    { command: 'watch contracts --print-unit', description: 'A service for systemd; the guide says where it goes' },
  ],
  args: { folder: folderArgument },
  flags: {
    proofs: string({ helpValue: '<folder>', summary: 'Where the archives go; else beside the files.' }),
    rest: integer({
      helpValue: '<seconds>',
      min: 0,
      max: 86_400,
      default: 5,
      summary: 'How long a file must be unchanged before it is uploaded.',
    }),
    every: integer({ helpValue: '<seconds>', min: 1, max: 3600, default: 2, summary: 'Time between two scans.' }),
    'wait-vouched': boolean({ summary: 'Write a proof only when others have vouched for its time.' }),
    'one-file': boolean({ summary: 'Write <name>.evidence.zip: the archive and all vouchers in one file.' }),
    proxied: boolean({ summary: 'Large files through the server too, which encrypts at rest.' }),
    once: boolean({ summary: 'End when every file is proven.' }),
    'limit-rate': string({ helpValue: '<rate>', summary: 'Bytes per second, as 500KB or 2MB.' }),
    'print-unit': boolean({ summary: 'Print a systemd user unit that runs this very watch, and do nothing else.' }),
  },
  writesAsItGoes: true,
  async run({ flags, args, context }) {
    const folder = await findFolder(args.folder);
    const proofs = flags.proofs === undefined ? undefined : toRealPath(resolve(flags.proofs));
    if (flags['print-unit']) {
      const { server, profile } = await context.settings();
      process.stdout.write(toUnit({ ...flags, folder, proofs, server: server.value, profile: profile.value }));
      return { refused: 0 };
    }
    await using watching = await openWatching(context, folder, {
      proofs,
      form: flags['one-file'] ? 'evidence' : 'proof',
      isVouched: flags['wait-vouched'],
      proxied: flags.proxied,
      limitRate: flags['limit-rate'],
      ...(flags.json && { show: writeJsonLine }),
    });
    const pace = { restSeconds: flags.rest, everySeconds: flags.every, isOnce: flags.once };
    return await watching.untilInterrupted(() => runWatch(watching, pace, openOwnFiles(folder, proofs)));
  },
  ending: ({ refused }) => (refused > 0 ? 'refused' : 'ok'),
});

export const status = command({
  summary: 'Show whether a folder is kept proven: proven files, files that wait, and whether the log is intact',
  description: [
    'Reads the log of the watch and the folder, not the server. Every line of the log holds the digest of the line before;',
    'a log that was changed ends with exit code 65. Exit code 1 means that something is not proven.',
  ].join(' '),
  examples: [
    { command: 'watch status contracts', description: 'For a person' },
    { command: 'watch status contracts --json', description: 'For monitoring' },
  ],
  args: { folder: folderArgument },
  async run({ args, context }) {
    const folder = await findFolder(args.folder);
    const { server } = await context.settings();
    return await readStatus(folder, await findState(folder, server.value));
  },
  text: statusTable,
  ending: ({ waitingForProof, notStored, withoutProof }) =>
    waitingForProof + notStored.length + withoutProof.length > 0 ? 'refused' : 'ok',
});
