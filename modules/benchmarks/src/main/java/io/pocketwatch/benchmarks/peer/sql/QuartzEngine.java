// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.sql;

import io.pocketwatch.benchmarks.harness.Ask;
import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.Payload;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.JobExecutionException;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;

/** A scheduler of one process: one durable job, and a trigger per message. */
final class QuartzEngine implements Engine {
  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static final String TABLES = "org/quartz/impl/jdbcjobstore/tables_postgres.sql";
  private static final String PAYLOAD = "payload";
  private static final String LEDGER = "ledger";

  private static final String FILL =
      """
      WITH trigger AS (
        INSERT INTO qrtz_triggers (sched_name, trigger_name, trigger_group, job_name, job_group,
          next_fire_time, prev_fire_time, priority, trigger_state, trigger_type, start_time,
          end_time, misfire_instr, job_data)
        SELECT '%1$s', gen_random_uuid()::text, 'DEFAULT', 'bench', 'DEFAULT', due, -1, 5,
          'WAITING', 'SIMPLE', due, 0, 0, decode(repeat('00', 700), 'hex')
        FROM (
          SELECT (extract(epoch FROM now() + interval '2 days' + random() * interval '365 days')
            * 1000)::bigint AS due
          FROM generate_series(1, %2$s)) dues
        RETURNING trigger_name)
      INSERT INTO qrtz_simple_triggers (sched_name, trigger_name, trigger_group, repeat_count,
        repeat_interval, times_triggered)
      SELECT '%1$s', trigger_name, 'DEFAULT', 0, 0, 0 FROM trigger
      """;

  private final LaneDatabase database;
  private final String name = "bench" + NUMBER.incrementAndGet();
  private final JobDetail job =
      JobBuilder.newJob(Arrival.class).withIdentity("bench").storeDurably().build();
  private final Scheduler scheduler;

  QuartzEngine(LaneDatabase database, int threads, int batch, Ledger ledger)
      throws IOException, SQLException, SchedulerException {
    this.database = database;
    database.execute(tables());
    DBConnectionManager.getInstance()
        .addConnectionProvider(name, new Connections(database.dataSource()));
    scheduler = new StdSchedulerFactory(properties(threads, batch)).getScheduler();
    scheduler.getContext().put(LEDGER, ledger);
    scheduler.addJob(job, true);
  }

  private Properties properties(int threads, int batch) {
    Properties properties = new Properties();
    properties.putAll(
        Map.of(
            "org.quartz.scheduler.instanceName", name,
            "org.quartz.scheduler.instanceId", "AUTO",
            "org.quartz.scheduler.batchTriggerAcquisitionMaxCount", Integer.toString(batch),
            "org.quartz.threadPool.class", "org.quartz.simpl.SimpleThreadPool",
            "org.quartz.threadPool.threadCount", Integer.toString(threads),
            "org.quartz.jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX",
            "org.quartz.jobStore.driverDelegateClass",
                "org.quartz.impl.jdbcjobstore.PostgreSQLDelegate",
            "org.quartz.jobStore.dataSource", name,
            "org.quartz.jobStore.isClustered", "true"));
    return properties;
  }

  private static String tables() throws IOException {
    try (InputStream in = Job.class.getClassLoader().getResourceAsStream(TABLES)) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Override
  public void start() throws SchedulerException {
    scheduler.start();
  }

  @Override
  public void write(List<Ask> batch) throws SchedulerException {
    Set<Trigger> triggers = new HashSet<>();
    for (Ask ask : batch) {
      Trigger trigger =
          TriggerBuilder.newTrigger()
              .withIdentity(Integer.toString(ask.number()))
              .forJob(job)
              .startAt(new Date(ask.dueMillis()))
              .build();
      trigger.getJobDataMap().put(PAYLOAD, ask.payload());
      triggers.add(trigger);
    }
    scheduler.scheduleJobs(Map.of(job, triggers), true);
  }

  @Override
  public void fill(long rows) throws SQLException {
    database.execute(FILL.formatted(name, rows));
  }

  @Override
  public void close() throws SchedulerException {
    scheduler.shutdown(true);
  }

  /** Made by Quartz for each execution. */
  public static final class Arrival implements Job {
    @Override
    public void execute(JobExecutionContext context) throws JobExecutionException {
      try {
        Object ledger = context.getScheduler().getContext().get(LEDGER);
        Object payload = context.getTrigger().getJobDataMap().get(PAYLOAD);
        ((Ledger) Objects.requireNonNull(ledger))
            .arrived(Payload.number((byte[]) Objects.requireNonNull(payload)));
      } catch (SchedulerException e) {
        throw new JobExecutionException(e);
      }
    }
  }

  /** Hands Quartz the lane's pool. */
  private record Connections(DataSource dataSource) implements ConnectionProvider {
    @Override
    public Connection getConnection() throws SQLException {
      return dataSource.getConnection();
    }

    @Override
    public void initialize() {}

    @Override
    public void shutdown() {}
  }
}
