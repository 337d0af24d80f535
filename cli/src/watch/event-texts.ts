// Texts for the lines of the log. Lines that only a later run needs are not displayed.
import type { LogLine } from './events.ts';

export function toText(line: LogLine): string | undefined {
  switch (line.event) {
    case 'started':
      return `watching ${line.folder} for ${line.account} at ${line.server}`;
    case 'stopped':
      return 'stopped';
    case 'stored':
      return `stored    ${line.path} version ${line.version}, file ${line.fileId}`;
    case 'not-stored':
      return `refused   ${line.path}: ${line.why}`;
    case 'continues':
      return `continues ${line.path} after ${line.fileId ?? 'nothing'}: others have changed it at the server`;
    case 'proved':
      return `proved    ${line.path} version ${line.version}: ${line.archive}`;
    case 'no-proof':
      return `no proof  ${line.path} version ${line.version}: ${line.why}`;
    case 'proof-missing':
      return `missing   the proof of ${line.path}; it will be written again`;
    case 'left-out':
      return `left out  ${line.path}: ${line.why}`;
    case 'gone':
      return `gone      ${line.path}`;
    case 'waiting':
      return `waiting   ${line.why}`;
    case 'going-on':
      return 'going on';
    case 'sending':
    case 'same':
      return undefined;
  }
}
