import type { ReactNode } from 'react'
import css from './definition-list.module.css'

export type Definition = {
  term: string
  /** An empty value is shown as a dash. */
  value: ReactNode
  /** Shown instead of the term, such as the term with an explanation. */
  heading?: ReactNode
  /** Takes the full width: long texts and lists. */
  isWide?: boolean
  key?: string
}

type DefinitionListProps = { items: Definition[]; columns?: 2 | 3 | 4 | 5; label?: string }

/** Names and values in columns, as expanded rows show them. */
export function DefinitionList({ items, columns = 4, label }: DefinitionListProps) {
  return (
    <dl className={css['list']} data-columns={columns} aria-label={label}>
      {items.map(({ term, value, heading, isWide, key }) => (
        <div key={key ?? term} className={css['item']} data-wide={isWide || undefined}>
          <dt>{heading ?? term}</dt>
          <dd>{value === null || value === undefined || value === '' ? <span aria-label="none">–</span> : value}</dd>
        </div>
      ))}
    </dl>
  )
}
