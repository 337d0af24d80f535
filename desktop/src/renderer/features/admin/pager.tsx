import type { Page } from '@recordproof/shared/api/common.ts';
import { useAdminSay } from './use-admin-say.ts';

type Pager = { readonly page: Pick<Page<unknown>, 'current' | 'pages'>; readonly onTurn: (page: number) => void };

export function Pager({ page: { current, pages }, onTurn }: Pager) {
  const say = useAdminSay();
  if (pages <= 1) return null;
  return (
    <div className="pager">
      <button type="button" className="plain" disabled={current <= 1} onClick={() => onTurn(current - 1)}>
        {say.previous}
      </button>
      <span className="number">{say.page(current, pages)}</span>
      <button type="button" className="plain" disabled={current >= pages} onClick={() => onTurn(current + 1)}>
        {say.next}
      </button>
    </div>
  );
}
