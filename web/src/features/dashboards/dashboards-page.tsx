import type { Dashboard } from '@portico/contract/dashboards'
import { Button, Paper, Switch } from '@mantine/core'
import { useState } from 'react'
import IconCopy from '#icons/IconCopy'
import IconDeviceFloppy from '#icons/IconDeviceFloppy'
import IconLayoutDashboard from '#icons/IconLayoutDashboard'
import IconPlus from '#icons/IconPlus'
import IconTrash from '#icons/IconTrash'
import { storedDefinition } from '#domain/dashboards'
import { usePageTitle } from '#lib/deployment.ts'
import { formatDate } from '#lib/formats.ts'
import { useCan } from '#lib/session/session.ts'
import { unsavedQuestion, useLeaving } from '#ui/form/unsaved.ts'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { ReasonedButton } from '#ui/feedback/reasoned-button.tsx'
import { PageHeader } from '#ui/page/page-header.tsx'
import { deferred } from '#ui/page/deferred.tsx'
import { DashboardMenu } from './dashboard-menu.tsx'
import { DashboardPicker } from './dashboard-picker.tsx'
import { DashboardView } from './dashboard-view.tsx'
import type { SaveMode } from './dialogs/save-dialog.tsx'
import { useLayoutEditing } from './editing/use-layout-editing.ts'
import { LoadFailure } from './load-failure.tsx'
import { Stage } from './presenting/stage.tsx'
import { type Presentation, usePresentation } from './presenting/use-presentation.ts'
import { useOpenDashboard } from './use-open-dashboard.ts'
import css from './dashboards-page.module.css'

// Viewers need none of these.
const DeleteDashboardDialog = deferred(
  async () => (await import('./dialogs/delete-dashboard-dialog.tsx')).DeleteDashboardDialog,
)
const SaveDialog = deferred(async () => (await import('./dialogs/save-dialog.tsx')).SaveDialog)
const LeaveDialog = deferred(async () => (await import('#ui/dialog/leave-dialog.tsx')).LeaveDialog)
const EditGrid = deferred(async () => (await import('./editing/edit-grid.tsx')).EditGrid)

/** Dashboards of List Service: viewed, built and shared (specification 4 §2). */
export function DashboardsPage() {
  usePageTitle('Dashboards')
  const { list, dashboard, id, open } = useOpenDashboard()
  const rights = useRights(dashboard.data, list.data?.length ?? 0)
  const [isEditing, setEditing] = useState(false)
  const presentation = usePresentation()
  const [dialog, setDialog] = useState<SaveMode | 'delete' | null>(null)
  const editing = useLayoutEditing(dashboard.data, isEditing)
  const { definition: shown, dashboard: edited } = editing
  const leaving = useLeaving(editing.isChanged)
  // Waits for the user's answer about unsaved changes.
  const [wanted, setWanted] = useState<{ act: () => void } | null>(null)

  const unlessUnsaved = (act: () => void): void => (editing.isChanged ? setWanted({ act }) : act())
  const show = (next: string | null): void => {
    setEditing(false)
    open(next)
  }
  const close = (): void => setDialog(null)
  return (
    <>
      {presentation.mode !== 'print' && (
        <PageHeader
          title="Dashboards"
          description={<span className={css['about']}>{dashboard.data && describe(dashboard.data)}</span>}
          actions={
            <Actions
              list={list.data ?? []}
              dashboard={dashboard.data}
              id={id}
              isLoading={list.isPending || (id !== null && dashboard.isPending)}
              rights={rights}
              isEditing={isEditing}
              presentation={presentation}
              onEdit={(next) => (next ? setEditing(true) : unlessUnsaved(() => setEditing(false)))}
              onSelect={(next) => unlessUnsaved(() => show(next))}
              onOpen={setDialog}
              onPreview={(definition) => {
                const { layout } = storedDefinition({ definition })
                editing.change(() => layout)
                setEditing(true)
              }}
            />
          }
        />
      )}
      <LoadFailure error={list.error ?? dashboard.error} />
      {list.data?.length === 0 && <NoDashboards canCreate={rights.build} onCreate={() => setDialog('new')} />}
      {edited && dashboard.data && (
        <Stage dashboard={edited} presentation={presentation}>
          {isEditing ? (
            <EditGrid
              definition={shown}
              editing={editing}
              onSave={edited.isAuthor && rights.update ? () => setDialog('update') : null}
            />
          ) : (
            <DashboardView dashboard={edited} definition={shown} />
          )}
        </Stage>
      )}
      {dialog !== null && dialog !== 'delete' && (
        <SaveDialog
          mode={dialog}
          dashboard={edited ?? null}
          definition={shown}
          onSaved={(saved) => {
            if (dialog === 'update' && saved._id === id) return editing.restart(saved)
            open(saved._id)
            setEditing(dialog === 'new' && isEmpty(saved))
          }}
          onClose={close}
        />
      )}
      {dialog === 'delete' && dashboard.data && (
        <DeleteDashboardDialog dashboard={dashboard.data} onDeleted={() => show(null)} onClose={close} />
      )}
      {(isEditing || editing.isChanged) && (
        <>
          <LeaveDialog leaving={leaving} title="Unsaved changes" question={unsavedQuestion} />
          <LeaveDialog
            leaving={{
              isAsked: wanted !== null,
              leave: () => {
                editing.discard()
                wanted?.act()
                setWanted(null)
              },
              stay: () => setWanted(null),
            }}
            title="Unsaved changes"
            question={unsavedQuestion}
          />
        </>
      )}
    </>
  )
}

type ActionsProps = {
  list: readonly Dashboard[]
  dashboard: Dashboard | undefined
  id: string | null
  /** Space is reserved for the controls that the dashboard will have. */
  isLoading: boolean
  rights: ReturnType<typeof useRights>
  isEditing: boolean
  presentation: Presentation
  onEdit: (isEditing: boolean) => void
  onSelect: (id: string) => void
  onOpen: (dialog: SaveMode | 'delete') => void
  onPreview: (definition: string) => void
}

function Actions(props: ActionsProps) {
  const { list, dashboard, id, isLoading, rights, isEditing, presentation, onEdit, onSelect, onOpen, onPreview } = props
  return (
    <>
      {rights.view && (list.length > 0 || isLoading) && (
        <div className={css['awaited']} data-waiting={list.length === 0 || undefined}>
          <DashboardPicker list={list} value={id} onChange={onSelect} />
        </div>
      )}
      {(dashboard !== undefined || isLoading) && (
        <div className={css['awaited']} data-waiting={dashboard === undefined || undefined}>
          {rights.build && (
            <Switch label="Edit" checked={isEditing} onChange={(event) => onEdit(event.currentTarget.checked)} />
          )}
          {rights.clone && <ReasonedButton label="Clone" Icon={IconCopy} onClick={() => onOpen('clone')} />}
          {rights.update && (
            <ReasonedButton
              label="Update"
              Icon={IconDeviceFloppy}
              reason={dashboard?.isAuthor ? null : 'Only its author may change this dashboard. Clone it instead.'}
              onClick={() => onOpen('update')}
            />
          )}
          {rights.remove && (
            <ReasonedButton
              label="Delete"
              Icon={IconTrash}
              reason={rights.whyNotDelete}
              onClick={() => onOpen('delete')}
            />
          )}
          {dashboard ? (
            <DashboardMenu
              dashboard={dashboard}
              presentation={isEditing ? null : presentation}
              {...(rights.build && { onPreview })}
            />
          ) : (
            <span className={css['menu-place']} />
          )}
        </div>
      )}
      {rights.build && (
        <Button leftSection={<IconPlus size={15} aria-hidden />} onClick={() => onOpen('new')}>
          New
        </Button>
      )}
    </>
  )
}

const describe = ({ author, updatedAt, tags }: Dashboard): string =>
  [author === '' ? null : `By ${author}`, `version of ${formatDate(updatedAt).split(' ', 1)[0]}`, tags.join(', ')]
    .filter((part) => part !== null && part !== '')
    .join(' · ')

/** A dashboard from a template opens for viewing; an empty one opens for editing. */
const isEmpty = (dashboard: Dashboard): boolean =>
  storedDefinition(dashboard)
    .layout.flat()
    .every(({ chart }) => !chart)

/** The rights of the user (specification 4 §6). */
function useRights(dashboard: Dashboard | undefined, count: number) {
  const [view, create] = [useCan('contact-dashboards-view'), useCan('contact-dashboards-create')]
  const [update, remove] = [useCan('contact-dashboards-update'), useCan('contact-dashboards-delete')]
  const reads = useCan('contact-offers-list')
  const whyNotDelete = !dashboard?.isAuthor
    ? 'Only its author may delete this dashboard.'
    : count < 2
      ? 'This is the only dashboard. Create another one before you delete it.'
      : null
  return {
    view,
    build: create && update && reads,
    clone: create && reads,
    update: update && reads,
    remove,
    whyNotDelete,
  }
}

function NoDashboards({ canCreate, onCreate }: { canCreate: boolean; onCreate: () => void }) {
  return (
    <Paper>
      <EmptyState
        icon={<IconLayoutDashboard size={22} />}
        title="No dashboards yet"
        action={canCreate && <Button onClick={onCreate}>New dashboard</Button>}
      >
        {canCreate
          ? 'Build one of charts, tables and figures of your contacts, and share it.'
          : 'Dashboards shared with you in this account appear here.'}
      </EmptyState>
    </Paper>
  )
}
