import { Stack, Text } from '@mantine/core'
import { EmailsInput } from '../new-import/import-inputs.tsx'
import type { NewImportForm } from '../new-import/new-import-form-state.ts'

/** Emails to notify when the import ends. */
export function NotificationTab({ form }: { form: NewImportForm }) {
  return (
    <Stack gap="sm" mih={{ base: 340, sm: 480 }}>
      <Text size="sm" c="dimmed">
        They receive an email with the figures when the import ends.
      </Text>
      <EmailsInput about="" {...form.getInputProps('notificationEmails')} />
    </Stack>
  )
}
