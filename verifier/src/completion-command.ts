// The command `recordproof-verify completion`: a shell's completion script on standard output.
import { declareCompletion } from '@recordproof/shared/completion/from-commands.ts';
import type { Completion } from '@recordproof/shared/completion/position.ts';
import { completionFor, findShell } from '@recordproof/shared/completion/shells.ts';
import { UsageError } from '@recordproof/shared/node/read-arguments.ts';
import { readArguments } from './shell/arguments.ts';
import { type Command, programName } from './shell/run-command.ts';

const declaration = declareCompletion(programName);

export const toCompletionCommand = (readCompletion: () => Completion): Command => ({
  declaration,
  async run(args, { stdout }) {
    const { positionals } = readArguments(args, declaration);
    const shell = findShell(positionals[0]);
    if (shell === undefined) throw new UsageError('say for which shell: completion bash, zsh or fish');
    stdout.write(completionFor[shell](readCompletion()));
    return 0;
  },
});
