import type { Page } from '@recordproof/shared/api/common.ts';
import { useEffect } from 'react';
import { useAdminSay } from './use-admin-say.ts';

type Pager = { readonly page: Pick<Page<unknown>, 'current' | 'pages'>; readonly onTurn: (page: number) => void };

export function Pager({ page: { current, pages }, onTurn }: Pager) {
  const say = useAdminSay();
  const last = Math.max(1, pages);
  // What stood on the last page may have gone meanwhile.
  useEffect(() => {
    if (current > last) onTurn(last);
  }, [current, last, onTurn]);
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
