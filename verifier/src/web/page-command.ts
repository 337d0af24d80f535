// The command `recordproof-verify page`: the page as one file on standard output.
import { readArguments } from '../shell/arguments.ts';
import type { Command } from '../shell/run-command.ts';
import { buildPage } from './page/build-page.ts';
import { toPageHtml } from './page/page-html.ts';
import { pageDeclaration } from './serve-options.ts';

export const pageCommand: Command = {
  declaration: pageDeclaration,
  async run(args, { stdout }) {
    const { options } = readArguments(args, pageDeclaration);
    stdout.write(toPageHtml({ kind: 'saved' }, await buildPage(), options.language));
    return 0;
  },
  describeFailure: () => 'The page could not be built.',
};
