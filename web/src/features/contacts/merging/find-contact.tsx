import type { Field, Offer } from '@portico/contract/contacts'
import { Button, Group, Stack, Text } from '@mantine/core'
import { FindFields, FoundContacts, useContactSearch } from '#domain/contact-search'
import { contactLabel } from '#domain/fields'
import { DialogForm } from '#ui/dialog/form-dialog.tsx'

type FindContactProps = {
  contact: Offer
  fields: readonly Field[]
  onChosen: (id: string) => void
  onClose: () => void
}

/** Finds the other contact by its PURL, its id, or the value of a field such as an email address. */
export function FindContact({ contact, fields, onChosen, onClose }: FindContactProps) {
  const search = useContactSearch(fields, contact._id)
  return (
    <DialogForm
      onSubmit={search.submit}
      footer={
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
        </Group>
      }
    >
      <Stack gap="sm">
        <Text size="sm">
          {`Which contact is the same person as ${contactLabel(contact, fields)}? It will be merged into this one.`}
        </Text>
        <FindFields search={search} />
        <FoundContacts
          search={search}
          action={{ text: 'Compare', name: 'Compare with' }}
          none="No other contact has this value."
          onChosen={onChosen}
        />
      </Stack>
    </DialogForm>
  )
}
