CREATE TABLE IF NOT EXISTS shop_order (
  id     VARCHAR(36) PRIMARY KEY,
  item   VARCHAR(200) NOT NULL,
  status VARCHAR(10) NOT NULL,
  pay_by TIMESTAMP WITH TIME ZONE NOT NULL
);

-- No key on purpose: what happened twice would be here twice.
CREATE TABLE IF NOT EXISTS shop_order_event (
  order_id VARCHAR(36) NOT NULL,
  event    VARCHAR(40) NOT NULL,
  happened TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL
);
