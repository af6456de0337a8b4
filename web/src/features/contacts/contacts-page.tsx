import type { Field } from '@portico/contract/contacts'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import {
  pickChoosing,
  readColumns,
  readGroupedColumns,
  readSort,
  withoutColumns,
} from '@portico/domain/pipeline/search-rows'
import { writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { usesFullText } from '@portico/domain/pipeline/full-text'
import { Alert, Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useId, useMemo } from 'react'
import { Link } from 'react-router'
import IconAddressBook from '#icons/IconAddressBook'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import IconColumns3 from '#icons/IconColumns3'
import { useFields } from '#domain/fields'
import { emptyFilter, type Filter, filterFields, orderStages, stagesOf } from '#domain/filters'
import { messageOf } from '#lib/api/api-error.ts'
import { usePageTitle } from '#lib/deployment.ts'
import { formatCount } from '#lib/formats.ts'
import type { Sort } from '#lib/api/lists.ts'
import { paths } from '#lib/paths.ts'
import { useCan } from '#lib/session/session.ts'
import { useSetting } from '#lib/settings.ts'
import { useTableUrl } from '#lib/table/table-url.ts'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { NoMatch } from '#ui/feedback/no-match.tsx'
import { FilterToggle } from '#ui/table/filter-panel.tsx'
import { useLoadWhenIdle } from '#ui/page/load-when-idle.ts'
import { PageHeader } from '#ui/page/page-header.tsx'
import { ReservedPlace } from '#ui/page/reserved-place.tsx'
import { SearchBox } from '#ui/table/search-box.tsx'
import { TableCard } from '#ui/table/table-card.tsx'
import { useChosenColumns } from './chosen-columns.ts'
import { ContactResults } from './contact-results.tsx'
import { useCountedResults, useWordIndex } from './contacts-queries.ts'
import { GroupResults } from './group-results.tsx'
import { ColumnsDialog, openedParts } from './on-demand.ts'
import { SearchActions } from './search-actions.tsx'
import { SearchPanel } from './search-panel.tsx'
import { type Search, useSearch } from './use-search.ts'
import { WithZone } from '#domain/results'
import { WordIndexNotice } from './word-index-notice.tsx'

/** Number of fields that fit side by side. Expanded rows show the rest. */
const usualColumns = 7

const noFields: Field[] = []

/** Search & Analyze: the account's contacts, those that a filter finds, or groups of them. */
export function ContactsPage() {
  usePageTitle('Search & Analyze')
  const fields = useFields()
  const known = fields.data ?? noFields
  const table = useTableUrl()
  const search = useSearch(known)
  const columns = useColumns(known, search)
  const [isDense, setDense] = useSetting('areTablesDensed')
  const [isFiltering, { toggle }] = useDisclosure(false)
  const [isChoosing, choosing] = useDisclosure(false)
  const panelId = useId()

  const isReady = fields.isSuccess && search.resolved !== null
  const hasObstacle = fields.isError || (search.resolved === null && search.problem !== null)
  const which = isReady && search.kind === 'contacts' ? pickChoosing(search.resolved ?? []) : null
  const asked = askedOf(search, isReady)
  const isGrouped = search.kind === 'rows'
  const sort = sortOfTable(table.sort, search, known)
  const results = useCountedResults(asked, isGrouped ? null : { sort, page: table.page, pageSize: table.pageSize })
  const { total } = results
  useLoadWhenIdle(openedParts, total !== undefined || hasObstacle)
  const indexing = useIndexing(asked)
  const words = search.resolvedFilter
  const isSearch = search.stages.length > 0
  const hasDates = total !== 0 && showsDates(known, columns.shown)
  return (
    <>
      <PageHeader
        title="Search & Analyze"
        description={<Found total={total} kind={search.kind} isSearch={isSearch} hasDates={hasDates} />}
        actions={
          !hasObstacle && (
            <ReservedPlace isReserved={!isReady}>
              <SearchActions
                stages={search.stages}
                sentence={search.sentence}
                which={which}
                exported={which ? contactsIn(which, sort) : groupsOf(search, table.sort)}
                count={total}
                fields={known}
                shown={columns.shown}
              />
            </ReservedPlace>
          )
        }
      />
      {fields.isError && (
        <Alert color="red" mb="sm" icon={<IconAlertTriangle size={18} />} role="alert">
          Sorry, something went wrong that we couldn't obtain your import headers! {messageOf(fields.error)}
        </Alert>
      )}
      <TableCard
        isDense={isDense}
        onDenseChange={setDense}
        toolbar={
          (known.length > 0 || fields.isPending) && (
            <ReservedPlace isReserved={fields.isPending}>
              {words && (
                <SearchBox
                  label="Search contacts"
                  placeholder="Search for words"
                  value={words.fullText}
                  onSearch={(fullText) => search.onSearch(withWords(words, fullText), table.sort)}
                />
              )}
              <FilterToggle panelId={panelId} isOpen={isFiltering} onToggle={toggle} count={conditionsIn(search)} />
              {search.kind !== 'rows' && (
                <Button variant="default" leftSection={<IconColumns3 size={15} aria-hidden />} onClick={choosing.open}>
                  Columns
                </Button>
              )}
            </ReservedPlace>
          )
        }
      >
        {known.length > 0 && (
          <SearchPanel id={panelId} isOpen={isFiltering} search={search} fields={known} sort={table.sort} />
        )}
        {indexing !== null && <WordIndexNotice progress={indexing} />}
        {isGrouped && search.resolved ? (
          <GroupResults stages={search.resolved} fields={known} table={table} isDense={isDense} />
        ) : (
          <ContactResults
            {...results}
            fields={known}
            selectable={which && JSON.stringify(writePipeline(which))}
            shown={columns.shown}
            table={table}
            sort={sort}
            isDense={isDense}
            isIndexing={indexing !== null}
            empty={isSearch ? <NoContactMatches onClear={() => search.onSearch([])} /> : <NoContacts />}
            obstacle={hasObstacle ? <NoResults /> : null}
          />
        )}
      </TableCard>
      {isChoosing && <ColumnsDialog {...columns} onClose={choosing.close} />}
    </>
  )
}

/** The contacts shown, in their order. */
const contactsIn = (which: Pipeline, sort: Sort | null) => ({
  stages: [...which, ...orderStages(sort)],
  columns: null,
})

/** The groups shown, in the order of the table; null if there are none. */
function groupsOf({ resolved }: Search, sort: Sort | null) {
  const columns = readGroupedColumns(resolved ?? [])
  if (resolved === null || columns === null) return null
  const isSorted = sort !== null && columns.includes(sort.field)
  return { stages: [...resolved, ...orderStages(isSorted ? sort : null)], columns }
}

/** The stages to request; null until known. */
function askedOf({ resolved, kind }: Search, isReady: boolean): Pipeline | null {
  if (!isReady || resolved === null) return null
  if (kind === 'contacts') return pickChoosing(resolved)
  // The table selects the columns itself.
  return kind === 'pipeline' ? withoutColumns(resolved) : resolved
}

/** The order chosen in the table, unless its field no longer exists; else the order of the search. */
function sortOfTable(chosen: Sort | null, { resolved }: Search, fields: readonly Field[]): Sort | null {
  const isKnown = chosen !== null && filterFields(fields).some(({ name }) => name === chosen.field)
  return isKnown ? chosen : readSort(resolved ?? [])
}

/** Progress of the full-text index that a search waits for, 0 to 1; null if it waits for none. */
function useIndexing(asked: Pipeline | null) {
  const index = useWordIndex(asked && usesFullText(asked) ? asked : null).data
  return index?.state === 'building' ? index.progress : null
}

/** The columns of the results: those of the search, else the user's choice, else the account's first fields. */
function useColumns(fields: readonly Field[], { resolved }: Search) {
  const [chosen, onChoose] = useChosenColumns()
  const names = useMemo(() => filterFields(fields).map(({ name }) => name), [fields])
  const usual = useMemo(() => fields.slice(0, usualColumns).map(({ name }) => name), [fields])
  const wanted = readColumns(resolved ?? [])
  const own = wanted.length > 0 ? wanted : chosen
  // A chosen field may no longer exist.
  const there = own.filter((name) => names.includes(name))
  const shown = there.length > 0 ? there : usual
  return { names, usual, shown, onChoose }
}

const showsDates = (fields: readonly Field[], shown: readonly string[]): boolean =>
  filterFields(fields).some(({ name, type }) => type === 'date' && shown.includes(name))

/** The stages of a filter with a full-text search added. */
function withWords(filter: Filter, fullText: string) {
  return stagesOf({ ...emptyFilter, ...filter, fullText: fullText.trim(), sort: null })
}

/** Number of conditions for the FILTERS button. Full-text words have their own input. */
function conditionsIn({ filter }: Search): number {
  if (filter === null) return 1
  const { standard, behavioral, location, groupBy, columns, predefined } = filter
  const single = [location, groupBy, columns[0], predefined].filter((one) => one !== null && one !== undefined)
  return standard.length + behavioral.length + single.length
}

type FoundProps = { total: number | undefined; kind: Search['kind']; isSearch: boolean; hasDates: boolean }

/** The number of results; a blank line until known. */
function Found({ total, kind, isSearch, hasDates }: FoundProps) {
  if (total === undefined) return ' '
  if (kind === 'rows') return formatCount(total, 'group')
  const count = formatCount(total, 'contact')
  return <WithZone hasDates={hasDates}>{isSearch ? `${count} found` : count}</WithZone>
}

const NoResults = () => <EmptyState icon={<IconAddressBook size={22} />} title="No contacts are available." />

function NoContacts() {
  const canImport = useCan('contact-import-list')
  return (
    <EmptyState
      icon={<IconAddressBook size={22} />}
      title="No contacts are available."
      action={
        canImport && (
          <Button component={Link} to={paths.imports()}>
            Go to Imports
          </Button>
        )
      }
    >
      Import a file to add contacts.
    </EmptyState>
  )
}

const NoContactMatches = ({ onClear }: { onClear: () => void }) => (
  <NoMatch icon={<IconAddressBook size={22} />} nouns="contacts" clearLabel="Show all contacts" onClear={onClear} />
)
