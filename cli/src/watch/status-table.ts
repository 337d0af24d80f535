// How the state of a watched folder looks.
import { alignRows } from '../platform/table.ts';
import type { WatchStatus } from './status.ts';

const mostNamed = 10;

function toLines(title: string, lines: readonly string[]): string[][] {
  const named = lines.slice(0, mostNamed);
  const more = lines.length > mostNamed ? [`and ${lines.length - mostNamed} more`] : [];
  return [...named, ...more].map((line, at) => [at === 0 ? title : '', line]);
}

const toReasons = (some: readonly { readonly path: string; readonly why: string }[]): string[] =>
  some.map(({ path, why }) => `${path}: ${why}`);

export const statusTable = (status: WatchStatus): string =>
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
