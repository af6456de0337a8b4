import type { Segment } from '@portico/contract/segments'
import { Anchor, Button, Group, Loader } from '@mantine/core'
import { useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import IconListSearch from '#icons/IconListSearch'
import IconTargetOff from '#icons/IconTargetOff'
import { DeleteFilterDialog, SaveFilterDialog } from '#domain/filters'
import { QueryInWords, searchPath } from '#domain/results'
import { isApiError, messageOf } from '#lib/api/api-error.ts'
import { usePageTitle } from '#lib/deployment.ts'
import { formatDate, formatNumber } from '#lib/formats.ts'
import { paths } from '#lib/paths.ts'
import { useAccount, useCan } from '#lib/session/session.ts'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { ReasonedButton } from '#ui/feedback/reasoned-button.tsx'
import { type Definition, DefinitionList } from '#ui/page/definition-list.tsx'
import { PageHeader } from '#ui/page/page-header.tsx'
import { Panel } from '#ui/page/panel.tsx'
import { SegmentComparison } from './segment-comparison.tsx'
import { SegmentPeople } from './segment-people.tsx'
import { latestCount, signed, warningOf, weekChange } from './segment-texts.ts'
import { SegmentTrend } from './segment-trend.tsx'
import { SegmentUses } from './segment-uses.tsx'
import { SegmentVersions } from './segment-versions.tsx'
import { SegmentWhy } from './segment-why.tsx'
import { useReloadSegments, useSegment, useSegmentCount } from './segments-queries.ts'
import css from './segments.module.css'

/** One segment: its filter and figures, its people, its trend, what uses it, and its versions. */
export function SegmentPage() {
  const { id = '' } = useParams()
  const segment = useSegment(id)
  const name = segment.data?.name ?? 'Segment'
  usePageTitle(name)
  if (isApiError(segment.error, 'not_found')) {
    return (
      <>
        <PageHeader title={name} description=" " />
        <EmptyState icon={<IconTargetOff size={22} />} title="This segment is not available.">
          It was deleted, belongs to another account, or is no longer shown here.
        </EmptyState>
      </>
    )
  }
  return (
    <>
      <PageHeader
        title={name}
        description={
          <Anchor component={Link} size="sm" to={paths.segments()}>
            Segments
          </Anchor>
        }
        actions={segment.data && <Actions segment={segment.data} />}
      />
      {segment.error ? (
        <FailureState message={messageOf(segment.error)} onRetry={() => void segment.refetch()} />
      ) : segment.data ? (
        <Contents segment={segment.data} />
      ) : (
        <Loader size={18} aria-label="Loading the segment" />
      )}
    </>
  )
}

function Contents({ segment }: { segment: Segment }) {
  const { nights, usedBy, isOwn } = segment
  const canSearch = useCan('contact-offers-list')
  return (
    <div className={css['page']}>
      <div className={css['column']}>
        <Panel title="Filter">
          <p className={css['sentence']}>
            <QueryInWords query={segment.aggregateQuery} />
          </p>
          <DefinitionList columns={3} items={useFigures(segment)} />
        </Panel>
        <SegmentPeople segment={segment} />
        {canSearch && <SegmentWhy segment={segment} />}
      </div>
      <div className={css['column']}>
        {nights !== null && <SegmentTrend nights={nights} />}
        <Panel title="Used By">
          <SegmentUses uses={usedBy} />
        </Panel>
        {canSearch && <SegmentComparison segment={segment} />}
        {isOwn && <SegmentVersions segment={segment} />}
      </div>
    </div>
  )
}

function useFigures({
  _id,
  nights,
  creator,
  createdAt,
  changedAt,
  showInSubaccounts,
  lastUsedAt,
}: Segment): Definition[] {
  const count = useSegmentCount(_id)
  const change = weekChange(nights)
  const people = count.data ?? latestCount(nights)
  return [
    { term: 'People Now', value: people === undefined ? null : formatNumber(people) },
    ...(nights === null ? [] : [{ term: 'Since Last Week', value: change === null ? null : signed(change) }]),
    { term: 'Last Used', value: lastUsedAt && formatDate(lastUsedAt) },
    { term: 'Created', value: `${formatDate(createdAt)} by ${creator ?? 'the parent account'}` },
    { term: 'Last Changed', value: formatDate(changedAt) },
    { term: 'In Sub-Accounts', value: showInSubaccounts ? 'Shown' : 'Hidden' },
  ]
}

function Actions({ segment }: { segment: Segment }) {
  const [isEditing, setEditing] = useState(false)
  const [isDeleting, setDeleting] = useState(false)
  const account = useAccount()
  const navigate = useNavigate()
  const reload = useReloadSegments()
  const [canSearch, canEdit, canDelete] = [
    useCan('contact-offers-list'),
    useCan('contact-rdls-update'),
    useCan('contact-rdls-delete'),
  ]
  const reason = segment.isOwn ? null : 'Owned by the parent account.'
  return (
    <Group gap="xs">
      {canSearch && (
        <Button
          component={Link}
          to={searchPath([{ kind: 'saved', id: segment._id }])}
          leftSection={<IconListSearch size={15} aria-hidden />}
        >
          Search & Analyze
        </Button>
      )}
      {canEdit && <ReasonedButton label="Edit" reason={reason} onClick={() => setEditing(true)} />}
      {canDelete && <ReasonedButton label="Delete" reason={reason} onClick={() => setDeleting(true)} />}
      {isEditing && (
        <SaveFilterDialog
          saved={segment}
          query=""
          account={account.name}
          onSaved={() => undefined}
          onClose={() => setEditing(false)}
        />
      )}
      {isDeleting && (
        <DeleteFilterDialog
          entry={segment}
          warning={warningOf(segment)}
          onDeleted={() => {
            reload()
            void navigate(paths.segments())
          }}
          onClose={() => setDeleting(false)}
        />
      )}
    </Group>
  )
}
