// The three statements of a check: compared by this device, current status by the server, vouchers by others.
import type { StatementTexts } from '@recordproof/verifier/report/statements.ts';

export const Statements = ({ headline, statements, limits }: StatementTexts) => (
  <section className="card statements">
    <p className="headline">{headline}</p>
    {statements.map(({ id, standing, mark, title, lines }) => (
      <div key={id} className={`statement ${standing}`} data-statement={id}>
        <p>
          <strong>{title}</strong> <span className="mark">{mark}</span>
        </p>
        {lines.map(line => (
          <p key={line} className="line">
            {line}
          </p>
        ))}
      </div>
    ))}
    <p className="line">{limits}</p>
  </section>
);
