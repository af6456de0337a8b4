import type { Field, Offer } from '@portico/contract/contacts'
import { ActionIcon, Anchor, Button, Group, Loader, Tooltip } from '@mantine/core'
import { Link, useLocation, useParams } from 'react-router'
import IconArrowLeft from '#icons/IconArrowLeft'
import IconCopy from '#icons/IconCopy'
import IconUserQuestion from '#icons/IconUserQuestion'
import { isApiError, messageOf } from '#lib/api/api-error.ts'
import { usePageTitle } from '#lib/deployment.ts'
import { formatValue } from '#domain/charts'
import { contactLabel, useFields } from '#domain/fields'
import { formatCount, formatDate, formatNumber } from '#lib/formats.ts'
import { paths } from '#lib/paths.ts'
import { useCan } from '#lib/session/session.ts'
import { type Definition, DefinitionList } from '#ui/page/definition-list.tsx'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { PageHeader } from '#ui/page/page-header.tsx'
import { Panel } from '#ui/page/panel.tsx'
import { definitionsOf, eventsOf, hasDates } from './contact-fields.ts'
import { ContactTimeline } from './contact-timeline.tsx'
import { WithZone } from '#domain/results'
import { useContact, useOrigin } from './contacts-queries.ts'
import { ChangesPanel } from './editing/changes-panel.tsx'
import { EditableFields } from './editing/editable-fields.tsx'
import { MergeButton } from './merging/merge-button.tsx'
import css from './contact-page.module.css'

/** Shown in separate panels. */
const internal = ['_id', 'purl', 'basePurl', 'purlNumber', 'Import']

/** One contact: its fields, its PURL, its origin, and its events. */
export function ContactPage() {
  const { id = '' } = useParams()
  const contact = useContact(id, { isLive: true })
  const fields = useFields()
  const name = contact.data && fields.data ? contactLabel(contact.data, fields.data) : 'Contact'
  usePageTitle(name)
  const problem = contact.error ?? fields.error
  return (
    <>
      <PageHeader
        title={name}
        description={`Contact ${id}`}
        actions={
          <Group gap="xs">
            {contact.data && fields.data && <MergeButton contact={contact.data} fields={fields.data} />}
            <BackButton />
          </Group>
        }
      />
      {isApiError(problem, 'not_found') ? (
        <EmptyState icon={<IconUserQuestion size={22} />} title="This contact is not available.">
          It was deleted or belongs to another account.
        </EmptyState>
      ) : problem ? (
        <FailureState
          message={messageOf(problem)}
          onRetry={() => {
            void contact.refetch()
            void fields.refetch()
          }}
        />
      ) : contact.data && fields.data ? (
        <Contact offer={contact.data} fields={fields.data} />
      ) : (
        <Loader size={18} aria-label="Loading the contact" />
      )}
    </>
  )
}

/** Back to the search that led here, or to all contacts. */
function BackButton() {
  const state: unknown = useLocation().state
  const search = typeof state === 'object' && state !== null && 'search' in state ? state.search : ''
  return (
    <Button
      component={Link}
      to={paths.contacts(typeof search === 'string' ? search : '')}
      variant="default"
      leftSection={<IconArrowLeft size={15} aria-hidden />}
    >
      Search & Analyze
    </Button>
  )
}

function Contact({ offer, fields }: { offer: Offer; fields: Field[] }) {
  const items = definitionsOf(offer, fields, internal)
  const events = eventsOf(offer) ?? []
  const canEdit = useCan('contact-offers-update')
  return (
    <div className={css['page']}>
      <div className={css['side']}>
        <Panel
          title="Fields"
          description={<WithZone hasDates={hasDates(offer, fields)}>{formatCount(items.length, 'field')}</WithZone>}
        >
          {canEdit ? <EditableFields offer={offer} fields={fields} /> : <DefinitionList columns={3} items={items} />}
        </Panel>
        {canEdit && <ChangesPanel contact={offer._id} fields={fields} />}
        <Panel title="PURL">
          <Purl offer={offer} />
        </Panel>
        <Panel title="Origin">
          <OriginList offer={offer} />
        </Panel>
      </div>
      <Panel
        title="Events"
        description={<WithZone hasDates={events.length > 0}>{formatCount(events.length, 'event')}</WithZone>}
      >
        <ContactTimeline id={offer._id} events={events} />
      </Panel>
    </div>
  )
}

function Purl({ offer: { purl, basePurl, purlNumber } }: { offer: Offer }) {
  if (typeof purl !== 'string') {
    return <DefinitionList columns={3} items={[{ term: 'PURL', value: 'This contact has no PURL.' }]} />
  }
  const value = (
    <span className={css['copy']}>
      {purl}
      <Tooltip label="Copy the PURL">
        <ActionIcon size={22} aria-label="Copy the PURL" onClick={() => void copy(purl)}>
          <IconCopy size={14} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </span>
  )
  const items: Definition[] = [
    { term: 'PURL', value },
    { term: 'Base', value: formatValue(basePurl) },
    { term: 'Number', value: typeof purlNumber === 'number' ? formatNumber(purlNumber) : '' },
  ]
  return <DefinitionList columns={3} items={items} />
}

async function copy(purl: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(purl)
    notifyDone(`'${purl}' was copied.`)
  } catch {
    // The clipboard requires HTTPS and the user's permission.
    notifyError('The PURL could not be copied.')
  }
}

/** The import number of contacts that were entered in a form. */
const enteredImport = '0'

/** The import and the file line that created the contact; only its number for users who may not see imports. */
function OriginList({ offer: { _id: id, Import: importId } }: { offer: Offer }) {
  const canList = useCan('contact-import-list')
  const isEntered = importId === enteredImport
  const source = useOrigin(canList && !isEntered && typeof importId === 'string' ? { importId, contact: id } : null)
  if (typeof importId !== 'string')
    return <DefinitionList columns={3} items={[{ term: 'Import', value: 'This contact came from no import.' }]} />
  if (isEntered)
    return <DefinitionList columns={3} items={[{ term: 'Import', value: 'This contact was added by hand.' }]} />
  if (!source.data) return <DefinitionList columns={3} items={[{ term: 'Import', value: importId }]} />
  const { name, filePath, line, creationDate, creator } = source.data
  const items: Definition[] = [
    {
      term: 'Import',
      value: (
        <Anchor component={Link} size="sm" to={paths.imports({ name })}>
          {name}
        </Anchor>
      ),
    },
    { term: 'File', value: filePath },
    { term: 'File Line', value: line === null ? 'Not known' : formatNumber(line) },
    { term: 'Imported', value: formatDate(creationDate) },
    { term: 'Imported By', value: creator },
  ]
  return <DefinitionList columns={3} items={items} />
}
