// A terminal: a shell in a pseudo-terminal into which lines are typed, and answers to prompts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';

export type Terminal = AsyncDisposable & {
  /** Types the line, answers each prompt when it is shown, and returns the output until the shell waits again. */
  type(line: string, answers?: readonly (readonly [question: string, answer: string])[]): Promise<string>;
};

const prompt = 'ready>';

export async function openTerminal(cwd: string, env: Readonly<Record<string, string>>): Promise<Terminal> {
  const shell = spawn('script', ['-qefc', 'stty -echo cols 80 rows 24; exec bash --norc --noprofile', '/dev/null'], {
    cwd,
    env: { ...env, PS1: prompt, TERM: 'dumb' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(shell, 'close');
  let shown = '';
  shell.stdout.on('data', data => (shown += data));
  const until = async (text: string): Promise<string> => {
    while (!shown.includes(text)) {
      const more = once(shell.stdout, 'data').then(() => true);
      if (!(await Promise.race([more, ended.then(() => false)]))) throw new Error(`the shell ended:\n${shown}`);
    }
    const at = shown.indexOf(text);
    const before = shown.slice(0, at);
    shown = shown.slice(at + text.length);
    return before;
  };
  await until(prompt);
  return {
    type: async (line, answers = []) => {
      shell.stdin.write(`${line}\n`);
      let seen = '';
      for (const [question, answer] of answers) {
        seen += (await until(question)) + question;
        shell.stdin.write(`${answer}\r`);
      }
      seen += await until(prompt);
      return stripVTControlCharacters(seen).replaceAll('\r', '');
    },
    [Symbol.asyncDispose]: async () => {
      shell.stdin.end('exit\n');
      await ended;
    },
  };
}
