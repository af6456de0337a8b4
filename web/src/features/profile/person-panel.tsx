import type { Profile } from '@portico/contract/own-account'
import { Avatar, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import IconPhotoUp from '#icons/IconPhotoUp'
import { editedForm, SavedMeanwhile, useEditing } from '#domain/editing'
import { messageOf } from '#lib/api/api-error.ts'
import { useSubmit } from '#lib/submit.ts'
import { unsavedQuestion, useLeaving } from '#ui/form/unsaved.ts'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { LeaveDialog } from '#ui/dialog/leave-dialog.tsx'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { Panel } from '#ui/page/panel.tsx'
import { PhotoDialog } from './photo-dialog.tsx'
import { getProfile, useDeletePhoto, useRename } from './profile-queries.ts'

const longestName = 100

/** Name and photo, as other people see them. */
export function PersonPanel({ profile }: { profile: Profile }) {
  return (
    <Panel title="You">
      <Stack gap="md">
        <Photo profile={profile} />
        <NameForm profile={profile} />
      </Stack>
    </Panel>
  )
}

function Photo({ profile }: { profile: Profile }) {
  const { email, userName, photoURL } = profile
  const [isChoosing, choosing] = useDisclosure()
  const [isAsking, asking] = useDisclosure()
  const remove = useDeletePhoto()
  const onRemove = (): void =>
    remove.mutate(undefined, {
      onSuccess: () => notifyDone('Your photo was removed.'),
      onError: (error) => notifyError(messageOf(error)),
      onSettled: asking.close,
    })
  return (
    <Group gap="md" wrap="nowrap">
      <Avatar src={photoURL} name={userName ?? email} color="teal.9" variant="filled" size={72} alt="Your photo" />
      <div style={{ minWidth: 0 }}>
        <Text fw={600} truncate>
          {userName ?? email}
        </Text>
        <Text size="sm" c="dimmed" truncate title={email} mb={6}>
          {userName ? email : 'No name yet'}
        </Text>
        <Group gap="xs">
          <Button variant="default" leftSection={<IconPhotoUp size={16} aria-hidden />} onClick={choosing.open}>
            {photoURL === null ? 'Add a photo' : 'Change the photo'}
          </Button>
          {photoURL !== null && (
            <Button variant="subtle" color="red" onClick={asking.open}>
              Remove
            </Button>
          )}
        </Group>
      </div>
      {isChoosing && <PhotoDialog profile={profile} onClose={choosing.close} />}
      <ConfirmDialog
        isOpen={isAsking}
        title="Remove your photo"
        question="Are you sure? Your initials are shown instead."
        confirmLabel="Yes, remove it"
        isBusy={remove.isPending}
        onConfirm={onRemove}
        onClose={asking.close}
      />
    </Group>
  )
}

const valuesOf = ({ userName }: Profile): { userName: string } => ({ userName: userName ?? '' })

const labels = { userName: 'Name', photoURL: 'Photo' }

function NameForm({ profile }: { profile: Profile }) {
  const form = useForm({
    initialValues: valuesOf(profile),
    validate: {
      userName: (name) => (name.trim().length > longestName ? `Use at most ${longestName} characters.` : null),
    },
    validateInputOnChange: true,
  })
  const editing = useEditing({ item: profile, read: getProfile, valuesOf, form: editedForm(form) })
  const { submit, isBusy } = useSubmit(form, useRename(editing.save), {
    findField: () => 'userName',
    done: (saved) => {
      const values = valuesOf(saved)
      form.setValues(values)
      form.resetDirty(values)
      editing.restart(saved)
      notifyDone('Your name was saved.')
    },
    refused: (problem) => problem !== null && notifyError(problem),
  })
  const isDirty = form.isDirty()
  const onSubmit = ({ userName }: { userName: string }): void => submit(userName.trim())
  return (
    <form noValidate onSubmit={form.onSubmit(onSubmit)}>
      <SavedMeanwhile {...{ editing, labels, isBusy }} onOverwrite={() => onSubmit(form.values)} />
      <LeaveDialog leaving={useLeaving(isDirty && !isBusy)} title="Unsaved changes" question={unsavedQuestion} />
      <Group align="flex-start" gap="xs">
        <TextInput
          label="Name"
          autoComplete="name"
          maxLength={longestName}
          style={{ flex: 1 }}
          {...form.getInputProps('userName')}
        />
        <Button type="submit" mt={24} disabled={!isDirty} loading={isBusy}>
          Save
        </Button>
      </Group>
    </form>
  )
}
