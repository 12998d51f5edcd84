//! The kinds of records, as the cases for every kind need them.

use std::{fmt::Debug, future::Future, sync::Arc};

use patrol_domain::{
    Identified, Make, New, Records,
    access::{Digest, NewToken, Tokens},
    check_list::CheckListActions,
    data_set::Record,
    graphic_plan::GraphicPlans,
    ids::{
        CheckListActionId, CheckListId, GraphicPlanId, LocationId, MediaId, PointId,
        ScheduledTaskId, TaskExecutionId, TokenId, UserId,
    },
    media::Media,
    task_execution::TaskExecutions,
    user::Users,
};
// The macro of the cases names them.
pub use patrol_domain::{
    access::Token,
    check_list::{CheckList, CheckListAction},
    graphic_plan::GraphicPlan,
    location::Location,
    media::Medium,
    point::Point,
    scheduled_task::ScheduledTask,
    task_execution::TaskExecution,
    user::User,
};

use crate::{
    Ports,
    sample::{
        by, check_list, id, import, location, medium, of_execution, of_task, of_user, plan, time,
        user_id, whole_execution, whole_point, whole_task, whole_user, world,
    },
};

/// A kind of record.
pub trait Kind: Identified<Id: Debug> + Clone + PartialEq + Debug {
    /// Its port.
    type Port: ?Sized + Send + Sync + 'static;

    /// Its port in `ports`.
    fn port(ports: &Ports) -> &Arc<Self::Port>;
    /// The record with this number and all members, of the records in [`world`].
    fn sample(number: u128) -> Self;
    /// Its id.
    fn id(&self) -> Self::Id;
    /// A member that may be any text.
    fn text(&mut self) -> &mut String;
    /// Stores the record in a store with [`world`].
    fn store(&self, ports: &Ports) -> impl Future<Output = ()> + Send;
}

async fn add(ports: &Ports, record: Record) {
    import(ports, vec![record]).await.expect("an import");
}

/// A store with [`world`] and the record with the number 11, which is returned.
pub(super) async fn stored<K: Kind>(ports: &Ports) -> K {
    import(ports, world()).await.expect("an import");
    let record = K::sample(11);
    record.store(ports).await;
    record
}

/// Members that are the same for every kind.
macro_rules! same {
    ($port:ident: $port_type:ty, $id:ty, $text:ident) => {
        type Port = $port_type;

        fn port(ports: &Ports) -> &Arc<Self::Port> {
            &ports.$port
        }

        fn id(&self) -> $id {
            self.id
        }

        fn text(&mut self) -> &mut String {
            &mut self.$text
        }
    };
}

impl Kind for Point {
    same!(points: dyn Records<Self>, PointId, name);

    fn sample(number: u128) -> Self {
        whole_point(number, 2)
    }

    async fn store(&self, ports: &Ports) {
        add(ports, Record::Point(Box::new(self.clone()))).await;
    }
}

impl Kind for CheckList {
    same!(check_lists: dyn Records<Self>, CheckListId, name);

    fn sample(number: u128) -> Self {
        check_list(number, &[2 * number, 2 * number + 1])
    }

    async fn store(&self, ports: &Ports) {
        add(ports, Record::CheckList(self.clone())).await;
    }
}

impl Kind for GraphicPlan {
    same!(graphic_plans: dyn GraphicPlans, GraphicPlanId, name);

    fn sample(number: u128) -> Self {
        plan(number, 2)
    }

    async fn store(&self, ports: &Ports) {
        add(ports, Record::GraphicPlan(self.clone())).await;
    }
}

impl Kind for Medium {
    type Port = dyn Media;

    fn port(ports: &Ports) -> &Arc<Self::Port> {
        &ports.media
    }

    fn id(&self) -> MediaId {
        self.id
    }

    fn sample(number: u128) -> Self {
        medium(number)
    }

    fn text(&mut self) -> &mut String {
        unreachable!("a medium never changes")
    }

    /// Announces the objects of all samples, so that others can be created too.
    async fn store(&self, ports: &Ports) {
        for number in 11..14 {
            let object = medium(number).object;
            ports.image_owners.announce(object, time(10)).await.expect("an announcement");
        }
        let new = New { references: self.references(), make: made(self) };
        ports.media.create(new, by()).await.expect("a medium");
    }
}

fn made(medium: &Medium) -> Make<Medium> {
    let medium = medium.clone();
    Box::new(move |existing| medium.check_new(existing))
}

impl Kind for CheckListAction {
    same!(check_list_actions: dyn CheckListActions, CheckListActionId, name);

    fn sample(number: u128) -> Self {
        check_list(1, &[number]).actions.remove(0)
    }

    async fn store(&self, ports: &Ports) {
        let mut list = check_list(1, &[10, 12]);
        list.actions.insert(1, self.clone());
        add(ports, Record::CheckList(list)).await;
    }
}

impl Kind for TaskExecution {
    same!(task_executions: dyn TaskExecutions, TaskExecutionId, name);

    fn sample(number: u128) -> Self {
        whole_execution(number)
    }

    async fn store(&self, ports: &Ports) {
        add(ports, of_execution(self.clone())).await;
    }
}

impl Kind for Location {
    same!(locations: dyn Records<Self>, LocationId, name);

    fn sample(number: u128) -> Self {
        location(number)
    }

    async fn store(&self, ports: &Ports) {
        add(ports, Record::Location(self.clone())).await;
    }
}

impl Kind for ScheduledTask {
    same!(scheduled_tasks: dyn Records<Self>, ScheduledTaskId, name);

    fn sample(number: u128) -> Self {
        whole_task(number)
    }

    async fn store(&self, ports: &Ports) {
        add(ports, of_task(self.clone())).await;
    }
}

impl Kind for User {
    same!(users: dyn Users, UserId, first_name);

    fn sample(number: u128) -> Self {
        whole_user(number)
    }

    async fn store(&self, ports: &Ports) {
        add(ports, of_user(self.clone())).await;
    }
}

impl Kind for Token {
    same!(tokens: dyn Tokens, TokenId, name);

    fn sample(number: u128) -> Self {
        Self {
            id: id(20, number),
            user_id: user_id(1),
            name: format!("token {number}"),
            created_at: time(1_000),
            expires_at: Some(time(5_000)),
            last_used_at: None,
        }
    }

    async fn store(&self, ports: &Ports) {
        let new = NewToken { token: self.clone(), digest: Digest([11; 32]), max_tokens: 1 };
        ports.tokens.create(new, by()).await.expect("a token");
    }
}
