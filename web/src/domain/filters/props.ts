import type { Field } from '@portico/contract/contacts'
import type { Draft, FilterTab } from './draft.ts'
import type { Filter } from './stages/filter.ts'

/** What every tab of the builder gets. */
export type TabProps = {
  draft: Draft
  onChange: (draft: Draft) => void
  /** Messages by place; only those that are to be shown. */
  problems: Record<string, string>
  /** Asks before an act. */
  confirm: (question: string, act: () => void) => void
}

export type FilterBuilderProps = {
  /** What is filtered, in the plural, when it is not contacts: it has these fields alone, and nothing is counted. */
  noun?: string
  fields: readonly Field[]
  /** What is applied now. */
  value: Filter
  onApply: (filter: Filter) => void
  onCancel?: () => void
  /** In this order. */
  tabs: readonly FilterTab[]
  maxConditions?: number
  /** A second level in Groupby; offered unless said otherwise, and required where it is needed. */
  hasSecondLevel?: boolean
  needsSecondLevel?: boolean
  /** Shows the filter as text, and its first results. */
  isAdmin?: boolean
}
