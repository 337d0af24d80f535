// The command `recordproof-verify page`: the page as one file on standard output.
import { readArguments } from '../shell/arguments.ts';
import type { Command } from '../shell/run-command.ts';
import { buildPage } from './page/build-page.ts';
import { toPageHtml } from './page/page-html.ts';

export const pageCommand: Command = {
  name: 'page',
  help: 'Writes the verification page as one file: recordproof-verify page > verifier.html\n',
  async run(args, { stdout }) {
    readArguments(args, {});
    stdout.write(toPageHtml({ kind: 'saved' }, await buildPage()));
    return 0;
  },
  describeFailure: () => 'The page could not be built.',
};
