// The command `recordproof-verify page`: the page as one file on standard output.
import { type Terminal, wantsHelp } from '../cli.ts';
import { buildPage } from './page/build-page.ts';
import { toPageHtml } from './page/page-html.ts';

const usageExitCode = 64;

export async function writePage(
  args: readonly string[],
  terminal: Pick<Terminal, 'stdout' | 'stderr'>,
): Promise<number> {
  if (wantsHelp(args)) {
    terminal.stdout.write('Writes the verification page as one file: recordproof-verify page > verifier.html\n');
    return 0;
  }
  if (args.length > 0) {
    terminal.stderr.write('page takes no options: recordproof-verify page > verifier.html\n');
    return usageExitCode;
  }
  terminal.stdout.write(toPageHtml({ kind: 'saved' }, await buildPage()));
  return 0;
}
