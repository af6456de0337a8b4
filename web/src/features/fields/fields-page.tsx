import type { FieldEntry } from '@portico/contract/fields'
import { foldName } from '@portico/domain/names'
import { useMemo, useState } from 'react'
import IconForms from '#icons/IconForms'
import { messageOf } from '#lib/api/api-error.ts'
import type { Sort } from '#lib/api/lists.ts'
import { usePageTitle } from '#lib/deployment.ts'
import { formatCount } from '#lib/formats.ts'
import { useCan } from '#lib/session/session.ts'
import { useSetting } from '#lib/settings.ts'
import { useTableUrl } from '#lib/table/table-url.ts'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { NoMatch } from '#ui/feedback/no-match.tsx'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { PageHeader } from '#ui/page/page-header.tsx'
import { DataTable } from '#ui/table/data-table.tsx'
import { SearchBox } from '#ui/table/search-box.tsx'
import { TableCard } from '#ui/table/table-card.tsx'
import { DeleteFieldDialog } from './delete-field-dialog.tsx'
import { fieldColumns, sortValues } from './field-columns.tsx'
import { FieldDialog } from './field-dialog.tsx'
import { FieldTypeDialog } from './field-type-dialog.tsx'
import { typeLabels } from './field-texts.ts'
import { DeletedField, FieldValues } from './field-values.tsx'
import { useFieldDetails, useRestoreField } from './fields-queries.ts'

/** The fields of contacts: their values, uses, names and formats. */
export function FieldsPage() {
  usePageTitle('Fields')
  // More than of jobs: people look for one of them.
  const table = useTableUrl(20)
  const fields = useFieldDetails()
  const canUpdate = useCan('contact-fields-update')
  const [isDense, setDense] = useSetting('areTablesDensed')
  const [singleExpand] = useSetting('singleExpand')
  const [search, setSearch] = useState('')
  const [edited, setEdited] = useState<FieldEntry | null>(null)
  const [retyped, setRetyped] = useState<FieldEntry | null>(null)
  const [doomed, setDoomed] = useState<FieldEntry | null>(null)
  const canDelete = useCan('contact-fields-delete')
  const { mutate: restore } = useRestoreField()
  const columns = useMemo(() => {
    const onRestore = ({ _id, name }: FieldEntry): void =>
      restore(_id, {
        onSuccess: () => notifyDone(`'${name}' was restored.`),
        onError: (error) => notifyError(messageOf(error)),
      })
    return fieldColumns({
      onEdit: canUpdate ? setEdited : null,
      onRetype: canUpdate ? setRetyped : null,
      onDelete: canDelete ? setDoomed : null,
      onRestore: canDelete ? onRestore : null,
    })
  }, [canUpdate, canDelete, restore])
  const sort = table.sort && table.sort.field in sortValues ? table.sort : null
  const found = useMemo(() => sortedBy(matching(fields.data, search), sort), [fields.data, search, sort])
  const first = (table.page - 1) * table.pageSize
  const changeSearch = (text: string): void => {
    setSearch(text)
    table.onPageChange(1)
  }
  return (
    <>
      <PageHeader title="Fields" description={fields.data ? describe(fields.data, found) : ' '} />
      <TableCard
        isDense={isDense}
        onDenseChange={setDense}
        toolbar={
          <SearchBox
            label="Search fields by name or type"
            placeholder="Search fields..."
            value={search}
            onSearch={changeSearch}
          />
        }
      >
        <DataTable<FieldEntry>
          label="Fields"
          columns={columns}
          records={found?.slice(first, first + table.pageSize)}
          total={found?.length}
          getRecordId={({ _id }) => _id}
          getRecordLabel={({ name }) => name}
          {...table}
          sort={sort}
          expansion={(field) => (field.deleted ? <DeletedField field={field} /> : <FieldValues field={field} />)}
          allowsManyOpen={!singleExpand}
          isDense={isDense}
          empty={
            search === '' ? (
              <EmptyState icon={<IconForms size={22} />} title="No fields yet. They come with the first import." />
            ) : (
              <NoMatch icon={<IconForms size={22} />} nouns="fields" onClear={() => changeSearch('')} />
            )
          }
          failure={
            fields.error ? (
              <FailureState message={messageOf(fields.error)} onRetry={() => void fields.refetch()} />
            ) : undefined
          }
        />
      </TableCard>
      {edited && <FieldDialog field={edited} onClose={() => setEdited(null)} />}
      {retyped && <FieldTypeDialog field={retyped} onClose={() => setRetyped(null)} />}
      {doomed && <DeleteFieldDialog field={doomed} onClose={() => setDoomed(null)} />}
    </>
  )
}

function describe(all: readonly FieldEntry[], found: readonly FieldEntry[] | undefined): string {
  const count = formatCount(all.length, 'field')
  return found && found.length < all.length ? `${found.length} of ${count}` : count
}

function matching(fields: FieldEntry[] | undefined, search: string): FieldEntry[] | undefined {
  const text = foldName(search)
  return fields?.filter(({ name, type }) => foldName(name).includes(text) || foldName(typeLabels[type]).includes(text))
}

/** The whole list is in the browser, so it is sorted here: by default in the order in which the fields were created. */
function sortedBy(fields: FieldEntry[] | undefined, sort: Sort | null): FieldEntry[] | undefined {
  const valueOf = sort && sortValues[sort.field]
  if (!fields || !valueOf) return fields
  const sign = sort.direction === 'asc' ? 1 : -1
  return fields.toSorted((one, other) => {
    const [a, b] = [valueOf(one), valueOf(other)]
    return a === b ? 0 : a < b ? -sign : sign
  })
}
