// Prometheus's own judge of metrics and rules.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** What it says against what it is given, one complaint a line; empty where all is well. */
export async function promtool(args: readonly string[], input = ''): Promise<string> {
  const child = spawn('promtool', [...args]);
  child.stdin.end(input);
  const [said, complained, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return code === 0 ? '' : `${said}${complained}` || `promtool ended with ${code}`;
}
