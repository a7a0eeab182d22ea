// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.sql;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.task.SchedulableInstance;
import com.github.kagkarlsson.scheduler.task.TaskDescriptor;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import io.pocketwatch.benchmarks.harness.Ask;
import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.Payload;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** A scheduler of one process. */
final class DbSchedulerEngine implements Engine {
  private static final TaskDescriptor<byte[]> TASK = TaskDescriptor.of("bench", byte[].class);

  /** Its table for PostgreSQL; the index for priorities is left out, as they are not used. */
  private static final String TABLE =
      """
      CREATE TABLE scheduled_tasks (
        task_name            TEXT        NOT NULL,
        task_instance        TEXT        NOT NULL,
        task_data            BYTEA,
        execution_time       TIMESTAMPTZ NOT NULL,
        picked               BOOLEAN     NOT NULL,
        picked_by            TEXT,
        last_success         TIMESTAMPTZ,
        last_failure         TIMESTAMPTZ,
        consecutive_failures INT,
        last_heartbeat       TIMESTAMPTZ,
        version              BIGINT      NOT NULL,
        priority             SMALLINT,
        PRIMARY KEY (task_name, task_instance)
      );
      CREATE INDEX execution_time_idx ON scheduled_tasks (execution_time);
      CREATE INDEX last_heartbeat_idx ON scheduled_tasks (last_heartbeat);
      """;

  private static final String FILL =
      """
      INSERT INTO scheduled_tasks
        (task_name, task_instance, task_data, execution_time, picked, version)
      SELECT 'bench', gen_random_uuid()::text, decode(repeat('00', 283), 'hex'),
        now() + interval '2 days' + random() * interval '365 days', false, 1
      FROM generate_series(1, %s)
      """;

  private final LaneDatabase database;
  private final Scheduler scheduler;

  DbSchedulerEngine(LaneDatabase database, DbSchedulerSettings settings, Ledger ledger)
      throws SQLException {
    this.database = database;
    database.execute(TABLE);
    OneTimeTask<byte[]> task =
        Tasks.oneTime(TASK)
            .execute((instance, context) -> ledger.arrived(Payload.number(instance.getData())));
    SchedulerBuilder builder =
        Scheduler.create(database.dataSource(), task).shutdownMaxWait(Duration.ofSeconds(10));
    settings.apply(builder);
    scheduler = builder.build();
  }

  @Override
  public void start() {
    scheduler.start();
  }

  @Override
  public void write(List<Ask> batch) {
    List<SchedulableInstance<?>> instances = new ArrayList<>(batch.size());
    for (Ask ask : batch) {
      instances.add(
          TASK.instance(Integer.toString(ask.number()))
              .data(ask.payload())
              .scheduledTo(Instant.ofEpochMilli(ask.dueMillis())));
    }
    scheduler.scheduleBatch(instances);
  }

  @Override
  public void fill(long rows) throws SQLException {
    database.execute(FILL.formatted(rows));
  }

  @Override
  public void close() {
    scheduler.stop();
  }
}
