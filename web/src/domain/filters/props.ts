import type { Field } from '@portico/contract/contacts'
import type { Draft, FilterTab } from './draft.ts'
import type { Filter } from './stages/filter.ts'

/** Props of every tab. */
export type TabProps = {
  draft: Draft
  onChange: (draft: Draft) => void
  /** Messages by place; only those to show. */
  problems: Record<string, string>
  /** Asks before an action. */
  confirm: (question: string, act: () => void) => void
}

export type FilterBuilderProps = {
  /** Plural noun of the filtered records, if not contacts. They have only these fields, and are not counted. */
  noun?: string
  fields: readonly Field[]
  /** The applied filter. */
  value: Filter
  onApply: (filter: Filter) => void
  onCancel?: () => void
  /** In this order. */
  tabs: readonly FilterTab[]
  maxConditions?: number
  /** A second level in Groupby; offered by default, and required where it is needed. */
  hasSecondLevel?: boolean
  needsSecondLevel?: boolean
  /** Shows the filter as text, and its first results. */
  isAdmin?: boolean
}
