import { CopyButton } from '../../ui/copy-button.tsx';
import { useAdminSay } from './use-admin-say.ts';

/** The same in a terminal, to be copied. */
export function CommandLines({ lines }: { readonly lines: readonly string[] }) {
  const say = useAdminSay();
  return (
    <section>
      <h3>{say.terminal}</h3>
      <ul className="commands">
        {lines.map(line => (
          <li key={line}>
            <code>{line}</code>
            <CopyButton text={line} label={line} />
          </li>
        ))}
      </ul>
    </section>
  );
}
