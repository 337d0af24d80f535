// Current server, and the others in a list that unfolds.
import type { ShellBridge } from '../../../bridge/bridge.ts';
import { useWatched } from '../../context.ts';
import { Servers } from './servers.tsx';
import { useProgramTexts } from './use-program-texts.ts';

export function ServerChoice({ shell }: { readonly shell: ShellBridge }) {
  const texts = useProgramTexts();
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
