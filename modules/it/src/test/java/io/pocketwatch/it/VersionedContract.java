// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.contract.ContractSetup;
import io.pocketwatch.testkit.contract.DeliveryContract;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.ClassTemplate;
import org.junit.jupiter.api.extension.AfterClassTemplateInvocationCallback;
import org.junit.jupiter.api.extension.BeforeClassTemplateInvocationCallback;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContext;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContextProvider;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The delivery contract on each wanted broker version, in a virtual host of its own. */
@ClassTemplate
@ExtendWith(VersionedContract.Versions.class)
abstract class VersionedContract extends DeliveryContract {
  /** Opens the setup of one run. */
  abstract ContractSetup open(ConnectionFactory factory) throws Exception;

  static final class Versions implements ClassTemplateInvocationContextProvider {
    @Override
    public boolean supportsClassTemplate(ExtensionContext context) {
      return true;
    }

    @Override
    public Stream<Run> provideClassTemplateInvocationContexts(ExtensionContext context) {
      return ContractBrokers.versions().map(Run::new);
    }
  }

  private record Run(String version) implements ClassTemplateInvocationContext {
    @Override
    public String getDisplayName(int invocationIndex) {
      return "RabbitMQ " + version;
    }

    @Override
    public List<Extension> getAdditionalExtensions() {
      return List.of(new RunExtension(BrokerExtension.version(version)));
    }
  }

  /** Has the broker for one run, as the extension would for a class. */
  private record RunExtension(BrokerExtension broker)
      implements BeforeClassTemplateInvocationCallback, AfterClassTemplateInvocationCallback {
    @Override
    public void beforeClassTemplateInvocation(ExtensionContext context) throws Exception {
      broker.beforeAll(context);
      VersionedContract contract = contract(context);
      contract.begin(contract.open(broker.connectionFactory()));
    }

    @Override
    public void afterClassTemplateInvocation(ExtensionContext context) throws Exception {
      try {
        contract(context).end();
      } finally {
        broker.afterAll(context);
      }
    }

    private static VersionedContract contract(ExtensionContext context) {
      return (VersionedContract) context.getRequiredTestInstance();
    }
  }
}
