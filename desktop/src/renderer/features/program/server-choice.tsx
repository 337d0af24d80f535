import type { ShellBridge } from '../../../bridge/bridge.ts';
import { useWatched } from '../../context.ts';
import { Servers } from './servers.tsx';
import { useProgramSay } from './use-program-say.ts';

/** Before somebody is signed in: where one signs in, and where else one could. */
export function ServerChoice({ shell }: { readonly shell: ShellBridge }) {
  const say = useProgramSay();
  const current = useWatched(shell.servers).find(({ isCurrent }) => isCurrent);
  return (
    <details className="elsewhere">
      <summary>
        {current?.url} · {say.other}
      </summary>
      <div className="card form">
        <Servers shell={shell} />
      </div>
    </details>
  );
}
