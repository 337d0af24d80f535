import type { Person } from '@recordproof/shared/api/accounts.ts';

type Named = Pick<Person, 'username' | 'nickname'> & { readonly remark?: string | null };

/** What one calls somebody: by one's own name for them, by theirs, by that of the account. */
export const toName = ({ username, nickname, remark }: Named): string => remark || nickname || username;

/** A first letter in place of a picture. */
export const Avatar = ({ person }: { readonly person: Named }) => (
  <span className="face" aria-hidden="true">
    {[...toName(person)][0]?.toUpperCase()}
  </span>
);

/** Letters that run the other way end with the name. */
export const PersonName = ({ person }: { readonly person: Named }) => (
  <span className="name">
    <bdi className="cut">
      <strong>{toName(person)}</strong>
    </bdi>
    {toName(person) !== person.username && <bdi className="cut">{person.username}</bdi>}
  </span>
);
