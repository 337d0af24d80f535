// Existence of a file by its vouchers: the time, each voucher with the trust that it needs, the steps to it.
import type { ExistenceText } from '@recordproof/verifier/existence/describe-existence.ts';

const tones = { EXISTED: 'good', CONTRADICTED: 'bad', NOT_SHOWN: 'open', ERROR: 'broken' } as const;
const rowTones = { HOLDS: 'good', CONTRADICTED: 'bad', MISSING: 'open', DAMAGED: 'broken' } as const;

export function Existence({ existence }: { readonly existence: ExistenceText }) {
  const { outcome, title, headline, reason, facts, sections, advice, limits } = existence;
  return (
    <>
      <section className={`verdict ${tones[outcome]}`}>
        <p className="chip">{outcome}</p>
        <h2>{title}</h2>
        <p>{headline}</p>
        {reason && (
          <p>
            {reason[0]}: <code>{reason[1]}</code>
          </p>
        )}
        {[...advice, limits].map(line => (
          <p key={line}>{line}</p>
        ))}
        <dl className="facts">
          {facts.flatMap(([name, value]) => [
            <dt key={name}>{name}</dt>,
            <dd key={`${name} value`}>
              <code>{value}</code>
            </dd>,
          ])}
        </dl>
      </section>
      {sections.map(section => (
        <section key={section.title} className="card form">
          <h2>{section.title}</h2>
          <ul className="checks">
            {section.rows.map(row => (
              <li key={`${row.code} ${row.title}`}>
                <span className={`chip ${rowTones[row.standing]}`}>{row.mark}</span>
                <span>
                  <strong>{row.title}</strong>
                  {row.lines.map(line => (
                    <span key={line}> {line}</span>
                  ))}
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
