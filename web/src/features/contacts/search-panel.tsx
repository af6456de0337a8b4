import type { Field } from '@portico/contract/contacts'
import { formatPipeline } from '@portico/domain/pipeline/pipeline-json'
import { Alert, Button } from '@mantine/core'
import { useState } from 'react'
import { type Filter, FilterBuilder, type FilterTab, stagesOf } from '#domain/filters'
import type { Sort } from '#lib/api/lists.ts'
import { useMayAdministerAll } from '#lib/session/role.ts'
import type { useSearch } from './use-search.ts'
import css from './contacts-page.module.css'

const tabs: FilterTab[] = ['standard', 'behavioral', 'bylocation', 'groupby', 'columns', 'predefined', 'fulltext']

type SearchPanelProps = {
  id: string
  isOpen: boolean
  search: ReturnType<typeof useSearch>
  fields: readonly Field[]
  sort: Sort | null
}

/** The filter builder, below the bar of the results, and the search in words, whether the builder is open or not. */
export function SearchPanel({ id, isOpen, search, fields, sort }: SearchPanelProps) {
  const isAdmin = useMayAdministerAll()
  const builder = useBuilderKey(formatPipeline(search.stages))
  const apply = (filter: Filter): void => {
    // The table has the order, which its headers also change.
    const stages = stagesOf({ ...filter, sort: null })
    builder.expect(formatPipeline(stages))
    search.onSearch(stages, filter.sort && sortOfFilter(filter.sort))
  }
  return (
    <>
      <section id={id} aria-label="Filters" hidden={!isOpen}>
        {isOpen && (
          <div className={css['builder']}>
            <FilterBuilder
              key={builder.key}
              fields={fields}
              value={{
                ...search.filter,
                sort: sort ? { field: sort.field, order: sort.direction === 'asc' ? 1 : -1 } : null,
              }}
              onApply={apply}
              tabs={tabs}
              isAdmin={isAdmin}
            />
          </div>
        )}
      </section>
      {/* If rows cannot show the filter, the open builder itself explains why. */}
      {search.problem && !(isOpen && search.filter.advanced) && (
        <Alert color="yellow" m="sm" role="alert">
          {search.problem}
        </Alert>
      )}
      {(search.stages.length > 0 || search.resolved === null) && (
        <div className={css['search']}>
          <p>{search.sentence}</p>
          <Button variant="subtle" size="compact-sm" flex="none" onClick={() => search.onSearch([])}>
            Show all contacts
          </Button>
        </div>
      )}
    </>
  )
}

const sortOfFilter = ({ field, order }: NonNullable<Filter['sort']>): Sort => ({
  field,
  direction: order === 1 ? 'asc' : 'desc',
})

/** The builder is remounted when the search changes, except by its own Apply: the user continues where they are. */
function useBuilderKey(text: string) {
  const [state, setState] = useState({ text, expected: text, key: 0 })
  if (state.text !== text) setState({ ...state, text, key: state.expected === text ? state.key : state.key + 1 })
  return { key: state.key, expect: (expected: string) => setState((now) => ({ ...now, expected })) }
}
