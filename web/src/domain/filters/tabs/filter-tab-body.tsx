import { BehavioralTab } from './behavioral-tab.tsx'
import { ColumnsTab } from './columns-tab.tsx'
import { filterOfDraft, type FilterTab, isValid, problemsOf } from '../draft.ts'
import { type FilterField, maxConditions } from '../stages/filter.ts'
import { FullTextTab } from './full-text-tab.tsx'
import { GroupTab } from './group-tab.tsx'
import { LocationTab } from './location-tab.tsx'
import { PredefinedTab } from './predefined-tab.tsx'
import { StandardTab } from './standard-tab.tsx'
import type { FilterBuilderProps, TabProps } from '../props.ts'

type FilterTabBodyProps = {
  tab: FilterTab
  tabProps: TabProps
  builder: FilterBuilderProps
  fields: FilterField[]
  /** The account's rule; null until known. */
  onlyIndexedFields: boolean | null
  isApplied: boolean
  /** The saved filter of this id was deleted. */
  onDeleted: (id: string) => void
}

/** The panel of a tab. */
export function FilterTabBody(props: FilterTabBodyProps) {
  const { tab, tabProps, builder, fields, onlyIndexedFields, isApplied, onDeleted } = props
  switch (tab) {
    case 'standard':
      return (
        <StandardTab
          {...tabProps}
          fields={fields}
          maxConditions={builder.maxConditions ?? maxConditions}
          isOfContacts={builder.noun === undefined}
          onlyIndexedFields={onlyIndexedFields}
          isApplied={isApplied}
        />
      )
    case 'behavioral':
      return <BehavioralTab {...tabProps} />
    case 'bylocation':
      return <LocationTab {...tabProps} />
    case 'groupby': {
      const { needsSecondLevel = false, hasSecondLevel = true } = builder
      return (
        <GroupTab
          {...tabProps}
          fields={fields}
          hasSecondLevel={hasSecondLevel || needsSecondLevel}
          needsSecondLevel={needsSecondLevel}
        />
      )
    }
    case 'columns':
      return <ColumnsTab {...tabProps} fields={fields} />
    case 'predefined': {
      const others = { ...tabProps.draft, predefined: null }
      const isComplete = isValid(problemsOf(others, fields, { onlyIndexedFields: onlyIndexedFields === true }))
      return (
        <PredefinedTab
          {...tabProps}
          fields={fields}
          others={isComplete ? filterOfDraft(others) : null}
          onDeleted={onDeleted}
        />
      )
    }
    case 'fulltext':
      return <FullTextTab {...tabProps} />
  }
}
