import type { KnownField } from '@portico/domain/pipeline/grouping'
import type { Field, Offer } from '@portico/contract/contacts'
import { type ReactNode, useMemo } from 'react'
import IconBolt from '#icons/IconBolt'
import { contactLabel } from '#domain/fields'
import { formatValue } from '#domain/charts'
import { filterFields } from '#domain/filters'
import { isApiError, messageOf } from '#lib/api/api-error.ts'
import type { Sort } from '#lib/api/lists.ts'
import { useSetting } from '#lib/settings.ts'
import type { useTableUrl } from '#lib/table/table-url.ts'
import { type Column, DataTable } from '#ui/table/data-table.tsx'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { ContactDetails } from './contact-details.tsx'
import type { useCountedResults } from './contacts-queries.ts'
import { type CellEditing, useCellEditing } from './editing/cell-editing.ts'
import { EditableCell } from './editing/editable-cell.tsx'
import { useMergeSelection } from './merging/merge-selection.tsx'
import css from './contacts-page.module.css'

type ContactResultsProps = ReturnType<typeof useCountedResults> & {
  fields: readonly Field[]
  /** The search whose contacts can be selected; null where rows are no contacts. */
  selectable: string | null
  /** Names of the columns. */
  shown: readonly string[]
  table: ReturnType<typeof useTableUrl>
  sort: Sort | null
  isDense: boolean
  /** Words are being indexed: a search for them that timed out is repeated afterwards. */
  isIndexing: boolean
  empty: ReactNode
  /** Why there can be no results; null if there can. */
  obstacle: ReactNode
}

/** The contacts that a search finds, page by page. */
export function ContactResults(props: ContactResultsProps) {
  const {
    page,
    fields,
    selectable,
    shown,
    table,
    sort,
    total,
    problem,
    onRetry,
    isDense,
    isIndexing,
    empty,
    obstacle,
  } = props
  const [singleExpand] = useSetting('singleExpand')
  const known = useMemo(() => new Map(filterFields(fields).map((field) => [field.name, field])), [fields])
  const own = useMemo(() => new Map(fields.map((field) => [field.name, field])), [fields])
  const editable = useMemo(() => shown.filter((name) => own.has(name)), [shown, own])
  const editing = useCellEditing(selectable !== null, page.data?.rows, editable)
  const columns = useMemo(
    () =>
      shown.map((name, at) => {
        const field = own.get(name)
        const column = columnOf(name, known.get(name), at)
        return editing && field ? editableColumn(column, field, editing) : column
      }),
    [shown, known, own, editing],
  )
  const { selection, bar } = useMergeSelection(selectable, fields, page.data?.rows)
  const failure =
    isIndexing && isApiError(problem, 'timed_out') ? (
      <EmptyState icon={<IconBolt size={22} />} title="Contacts appear here once the full-text index is ready." />
    ) : (
      <FailureState message={messageOf(problem)} onRetry={onRetry} />
    )
  return (
    <>
      {bar}
      <DataTable<Offer>
        label="Contacts"
        columns={columns}
        records={obstacle ? [] : page.data?.rows}
        total={total}
        getRecordId={({ _id }) => _id}
        getRecordLabel={(offer) => contactLabel(offer, fields)}
        {...table}
        sort={sort}
        selection={selection}
        expansion={(offer) => <ContactDetails id={offer._id} fields={fields} />}
        allowsManyOpen={!singleExpand}
        isStale={page.isPlaceholderData}
        isDense={isDense}
        empty={empty}
        failure={obstacle ?? (problem ? failure : undefined)}
      />
    </>
  )
}

function columnOf(name: string, field: KnownField | undefined, index: number): Column<Offer> {
  return {
    key: name,
    title: name,
    isSortable: true,
    isRowHeader: index === 0,
    ...(field?.type === 'number' && { align: 'right' }),
    render: (offer) => {
      const text = formatValue(offer[name], field?.type, field?.format)
      return (
        <span className={css['value']} title={text}>
          {text}
        </span>
      )
    },
  }
}

/** The column of an imported field, for users who may change contacts. */
function editableColumn(column: Column<Offer>, field: Field, editing: CellEditing): Column<Offer> {
  const { name, type, format } = field
  return {
    ...column,
    onDoubleClick: (offer) => editing.open(offer, name),
    render: (offer) => (
      <EditableCell
        offer={offer}
        field={field}
        text={formatValue(offer[name], type, format)}
        className={css['value']}
        editing={editing}
      />
    ),
  }
}
