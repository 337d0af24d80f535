// Current server, and the others in a list that unfolds.
import { programWords } from '@recordproof/shared/words/app-program.ts';
import type { ShellBridge } from '../../../bridge/bridge.ts';
import { useWatched, useWords } from '../../context.ts';
import { Servers } from './servers.tsx';

export function ServerChoice({ shell }: { readonly shell: ShellBridge }) {
  const texts = useWords(programWords);
  const current = useWatched(shell.servers).find(({ isCurrent }) => isCurrent);
  return (
    <details className="elsewhere">
      <summary>
        {current?.url} · {texts.other}
      </summary>
      <div className="card form">
        <Servers shell={shell} />
      </div>
    </details>
  );
}
