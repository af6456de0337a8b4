import type { Field, Offer } from '@portico/contract/contacts'
import type { Segment } from '@portico/contract/segments'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { parsePipelineText } from '@portico/domain/pipeline/pipeline-json'
import { choosesContacts, takeChoosing } from '@portico/domain/pipeline/search-rows'
import { Anchor, Text } from '@mantine/core'
import { useMemo } from 'react'
import { Link } from 'react-router'
import { formatValue } from '#domain/charts'
import { contactLabel, useFields } from '#domain/fields'
import { searchPath } from '#domain/results'
import { messageOf } from '#lib/api/api-error.ts'
import { paths } from '#lib/paths.ts'
import { useCan } from '#lib/session/session.ts'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { Panel } from '#ui/page/panel.tsx'
import { type Column, DataTable } from '#ui/table/data-table.tsx'
import { peopleShown, useSegmentPeople } from './segments-queries.ts'

type SegmentPeopleProps = { segment: Segment }

/** The first people of a segment, and the way to all of them. */
export function SegmentPeople(props: SegmentPeopleProps) {
  const canSearch = useCan('contact-offers-list')
  return (
    <Panel title="People">
      {canSearch ? <People {...props} /> : <Text size="sm">Your policies do not allow to search contacts.</Text>}
    </Panel>
  )
}

function People({ segment }: SegmentPeopleProps) {
  const stages = useMemo(() => choosingStages(segment), [segment])
  const fields = useFields()
  const people = useSegmentPeople(stages)
  const columns = useMemo(() => columnsOf(fields.data ?? []), [fields.data])
  const problem = people.error ?? fields.error
  return (
    <>
      <DataTable<Offer>
        label={`People of ${segment.name}`}
        columns={columns}
        records={fields.data && people.data}
        total={people.data?.length}
        getRecordId={({ _id }) => _id}
        getRecordLabel={(offer) => contactLabel(offer, fields.data ?? [])}
        page={1}
        pageSize={peopleShown}
        pageSizes={[peopleShown]}
        onPageChange={() => undefined}
        empty={<Text size="sm">No contacts match.</Text>}
        failure={
          problem ? <FailureState message={messageOf(problem)} onRetry={() => void people.refetch()} /> : undefined
        }
      />
      {people.data?.length === peopleShown && (
        <Anchor component={Link} size="sm" mt="xs" display="inline-block" to={searchPath(stages)}>
          Show all people
        </Anchor>
      )}
    </>
  )
}

/** The stages that choose the people: not those that group, sort or limit them. */
function choosingStages({ _id, aggregateQuery }: Segment): Pipeline {
  const pipeline = parsePipelineText(aggregateQuery)
  return pipeline === null || choosesContacts(pipeline) ? [{ kind: 'saved', id: _id }] : takeChoosing(pipeline)
}

const fieldsShown = 4

const columnsOf = (fields: readonly Field[]): Column<Offer>[] => [
  {
    key: 'contact',
    title: 'Contact',
    isRowHeader: true,
    render: (offer) => (
      <Anchor component={Link} size="sm" to={paths.contact(offer._id)}>
        {contactLabel(offer, fields)}
      </Anchor>
    ),
  },
  // The first two make the label.
  ...fields.slice(2, 2 + fieldsShown).map(({ name, type, format }): Column<Offer> => ({
    key: name,
    title: name,
    ...(type === 'number' && { align: 'right' }),
    render: (offer) => formatValue(offer[name], type, format),
  })),
]
