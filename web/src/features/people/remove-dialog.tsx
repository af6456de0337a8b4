import type { PersonDetails } from '@portico/contract/people'
import { Checkbox, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { paths } from '#lib/paths.ts'
import { noFields, useSubmit } from '#lib/submit.ts'
import { SubmitDialog } from '#ui/dialog/submit-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { useRemove } from './people-queries.ts'
import { counted, namesOfAccounts } from './person-words.ts'
import css from './people.module.css'

/** Removes a person from chosen accounts. */
export function RemoveDialog({ person, onClose }: { person: PersonDetails; onClose: () => void }) {
  const { _id, email, identities } = person
  const [chosen, setChosen] = useState<string[]>([])
  const navigate = useNavigate()
  const remove = useSubmit(noFields, useRemove(_id, identities.length), {
    done: ({ removed }) => {
      notifyDone(`'${email}' was removed from ${counted(removed, 'place', 'places')}.`)
      onClose()
      if (removed === identities.length) void navigate(paths.people())
    },
  })
  const names = namesOfAccounts(identities)
  return (
    <SubmitDialog
      title="Remove person"
      width={480}
      submitLabel="Remove"
      isDirty={chosen.length > 0}
      isBusy={remove.isBusy}
      problem={remove.problem}
      onSubmit={(event) => {
        event.preventDefault()
        if (chosen.length > 0) remove.submit(chosen)
        else remove.setProblem('Choose at least one account.')
      }}
      onClose={onClose}
    >
      <Text size="sm">
        {`The identities of ${email} in the chosen accounts are deleted, with their API credentials and impersonation links there.
        They lose access at once, and crons, saved filters and dashboards that act by these identities stop: hand them
        over first. This cannot be undone.`}
      </Text>
      <Checkbox.Group label="Remove from" value={chosen} onChange={setChosen}>
        <Stack gap="xs" mt="xs" className={css['items'] ?? ''}>
          {identities.map((identity, index) => (
            <Checkbox key={identity._id} value={identity._id} label={names[index]} />
          ))}
        </Stack>
      </Checkbox.Group>
    </SubmitDialog>
  )
}
