// Name and avatar of a person.
import type { Person } from '@recordproof/shared/api/accounts.ts';

type Named = Pick<Person, 'username' | 'nickname'> & { readonly remark?: string | null };

/** The remark of the reader, else the nickname, else the user name. */
export const toName = ({ username, nickname, remark }: Named): string => remark || nickname || username;

export const Avatar = ({ person }: { readonly person: Named }) => (
  <span className="face" aria-hidden="true">
    {[...toName(person)][0]?.toUpperCase()}
  </span>
);

/** Isolated, so that right-to-left letters end with the name. */
export const PersonName = ({ person }: { readonly person: Named }) => (
  <span className="name">
    <bdi className="cut">
      <strong>{toName(person)}</strong>
    </bdi>
    {toName(person) !== person.username && <bdi className="cut">{person.username}</bdi>}
  </span>
);
