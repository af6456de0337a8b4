import { Alert, Button, Group, Text } from '@mantine/core'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import { formatDuration, formatFileSize } from '#lib/formats.ts'
import { formatByteSpeed, formatPercent } from '#domain/job-lists'
import { ProgressLine } from '#ui/feedback/progress-line.tsx'
import type { Submission } from './submit-import.ts'
import { uploadFigures, type UploadSample } from './upload-file.ts'

type ImportFooterProps = {
  submission: Submission
  file: File | null
  isBusy: boolean
  onCancel: () => void
  onCancelUpload: () => void
}

/** The foot of the dialog: its buttons, the progress of the upload, and what went wrong. */
export function ImportFooter({ submission, file, isBusy, onCancel, onCancelUpload }: ImportFooterProps) {
  const hasFailed = submission.step === 'failed'
  return (
    <>
      {submission.step === 'failed' && (
        <Alert color="red" icon={<IconAlertTriangle size={18} />} role="alert" mb="sm" title="Something went wrong!">
          {submission.reason}
        </Alert>
      )}
      {submission.step === 'uploading' && file && <UploadProgress file={file} samples={submission.samples} />}
      {submission.step === 'saving' && <ProgressLine value={null} label="Saving the import" text="Saving the import" />}
      <Group justify="flex-end" gap="xs" mt={isBusy ? 'sm' : 0}>
        {isBusy ? (
          <Button variant="default" onClick={onCancelUpload} disabled={submission.step === 'saving'}>
            Cancel upload
          </Button>
        ) : (
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        )}
        <Button type="submit" loading={isBusy}>
          {hasFailed ? 'Try again' : 'Submit'}
        </Button>
      </Group>
    </>
  )
}

function UploadProgress({ file, samples }: { file: File; samples: readonly UploadSample[] }) {
  const { share, bytesPerSecond, remainingMs } = uploadFigures(samples, file.size)
  const sentBytes = samples.at(-1)?.sentBytes ?? 0
  const figures = [
    formatPercent(share),
    `${formatFileSize(Math.min(sentBytes, file.size))} of ${formatFileSize(file.size)}`,
    bytesPerSecond !== null && formatByteSpeed(bytesPerSecond),
    remainingMs !== null && `${formatDuration(remainingMs)} left`,
  ]
  return (
    <div>
      <Text size="sm" fw={550} mb={5}>
        Sending {file.name}
      </Text>
      <ProgressLine value={share} label={`Upload of ${file.name}`} text={figures.filter(Boolean).join(' · ')} />
    </div>
  )
}
