import { Stack, TagsInput, Text } from '@mantine/core'
import type { NewImportForm } from './new-import-form-state.ts'

/** Who is told when the import has ended. */
export function NotificationTab({ form }: { form: NewImportForm }) {
  return (
    <Stack gap="sm" mih={{ base: 340, sm: 480 }}>
      <Text size="sm" c="dimmed">
        They get an e-mail with the figures when the import has ended.
      </Text>
      <TagsInput
        label="Notification Emails"
        description="At most 20. Press Enter after an e-mail."
        placeholder={form.values.notificationEmails.length < 20 ? 'name@example.com' : ''}
        maxTags={20}
        {...form.getInputProps('notificationEmails')}
      />
    </Stack>
  )
}
