// Prometheus's own checker of metrics and rules.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** Its complaints about the input, one a line; empty if valid. */
export async function promtool(args: readonly string[], input = ''): Promise<string> {
  const child = spawn('promtool', [...args]);
  child.stdin.end(input);
  const [said, complained, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return code === 0 ? '' : `${said}${complained}` || `promtool ended with ${code}`;
}
