import type { Field, Offer } from '@portico/contract/contacts'
import { Alert, Button } from '@mantine/core'
import { useMemo } from 'react'
import { Link, useSearchParams } from 'react-router'
import IconAddressBook from '#icons/IconAddressBook'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import { messageOf } from '#lib/api-error.ts'
import { usePageTitle } from '#lib/deployment.ts'
import { formatCount } from '#lib/formats.ts'
import { useCan } from '#lib/session.ts'
import { useSetting } from '#lib/settings.ts'
import { useTableUrl } from '#lib/table-url.ts'
import { type Column, DataTable } from '#ui/data-table.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { FailureState } from '#ui/failure-state.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { SearchBox } from '#ui/search-box.tsx'
import { TableCard } from '#ui/table-card.tsx'
import { ContactDetails } from './contact-details.tsx'
import { searchStages } from './contact-search.ts'
import { useContactCount, useContactPage, useFields } from './contacts-queries.ts'
import { formatValue } from './field-value.ts'
import css from './contacts-page.module.css'

/** So many fields fit beside each other; an opened row shows the rest. */
const shownFields = 7

/** Search & Analyze: the account's contacts. */
export function ContactsPage() {
  usePageTitle('Search & Analyze')
  const fields = useFields()
  const table = useTableUrl()
  const [isDense, setDense] = useSetting('areTablesDensed')
  const [singleExpand] = useSetting('singleExpand')
  const { search, onSearch } = useSearchUrl()

  const shown = useMemo(() => (fields.data ?? []).slice(0, shownFields), [fields.data])
  const find = useMemo(() => searchStages(search, shown), [search, shown])
  const columns = useMemo(() => shown.map(columnOf), [shown])
  // A field may be gone since the address was made.
  const sort = fields.data?.some(({ name }) => name === table.sort?.field) ? table.sort : null
  const isReady = fields.isSuccess
  const page = useContactPage({ find, sort, page: table.page, pageSize: table.pageSize }, isReady)
  const count = useContactCount(find, isReady)

  const problem = page.error ?? count.error
  const retry = (): void => {
    void page.refetch()
    void count.refetch()
  }
  return (
    <>
      <PageHeader
        title="Search & Analyze"
        description={count.data === undefined ? ' ' : describeCount(count.data, find.length > 0)}
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
          shown.length > 0 && (
            <SearchBox
              label="Search contacts"
              placeholder="Search the shown text columns"
              value={search}
              onSearch={onSearch}
            />
          )
        }
      >
        <DataTable<Offer>
          label="Contacts"
          columns={columns}
          records={fields.isError ? [] : page.data}
          total={count.data}
          getRecordId={({ _id }) => _id}
          getRecordLabel={(offer) => labelOf(offer, shown)}
          {...table}
          sort={sort}
          expansion={(offer) => <ContactDetails id={offer._id} fields={fields.data ?? []} />}
          allowsManyOpen={!singleExpand}
          isStale={page.isPlaceholderData}
          isDense={isDense}
          empty={search ? <NoMatch onClear={() => onSearch('')} /> : <NoContacts />}
          failure={problem ? <FailureState message={messageOf(problem)} onRetry={retry} /> : undefined}
        />
      </TableCard>
    </>
  )
}

/** The searched text in the address; a new search starts on the first page. */
function useSearchUrl(): { search: string; onSearch: (text: string) => void } {
  const [params, setParams] = useSearchParams()
  const onSearch = (text: string): void =>
    setParams(
      (now) => {
        const next = new URLSearchParams(now)
        next.delete('page')
        if (text.trim()) next.set('q', text.trim())
        else next.delete('q')
        return next
      },
      { replace: true },
    )
  return { search: params.get('q') ?? '', onSearch }
}

function columnOf({ name, type }: Field, index: number): Column<Offer> {
  return {
    key: name,
    title: name,
    isSortable: true,
    isRowHeader: index === 0,
    ...(type === 'number' && { align: 'right' }),
    render: (offer) => {
      const text = formatValue(offer[name], type)
      return (
        <span className={css['value']} title={text}>
          {text}
        </span>
      )
    },
  }
}

const describeCount = (count: number, isSearch: boolean): string =>
  isSearch ? `${formatCount(count, 'contact')} found` : formatCount(count, 'contact')

/** What a person would call the contact: its first values, else its id. */
function labelOf(offer: Offer, fields: Field[]): string {
  const values = fields.slice(0, 2).map(({ name, type }) => formatValue(offer[name], type))
  return values.filter(Boolean).join(' ') || offer._id
}

function NoContacts() {
  const canImport = useCan('contact-import-list')
  return (
    <EmptyState
      icon={<IconAddressBook size={22} />}
      title="No contacts are available."
      action={
        canImport && (
          <Button component={Link} to="/contact-service/imports">
            Go to Imports
          </Button>
        )
      }
    >
      Contacts come in by importing a file.
    </EmptyState>
  )
}

function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      icon={<IconAddressBook size={22} />}
      title="No matching contacts found."
      action={
        <Button variant="default" onClick={onClear}>
          Show all contacts
        </Button>
      }
    >
      The search looks for the text in the columns that are shown.
    </EmptyState>
  )
}
